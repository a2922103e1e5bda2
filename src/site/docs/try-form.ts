import { html, type Html } from '../html.ts'
import { isObject } from '../../http/body/is-object.ts'
import type { Content, MediaType, Parameter } from '../../http/openapi/operation.ts'
import { responseTypes, partNames, exampleToText, type Place } from './curl.ts'

export function tryForm(place: Place): Html {
  const { method, path, parameters, requestBody } = place
  return html`<form class="request" data-method="${method}" data-path="${path}" hidden>
<h3>Try it</h3>
${parameters.map(parameterInput)}${acceptInput(responseTypes(place))}${contentInput(requestBody?.content ?? {})}<p class="actions"><button type="submit">Send ${method}</button></p>
<pre class="response" role="status" hidden></pre>
</form>
`
}

/** The example is the value of a required parameter and the placeholder of any other. */
function parameterInput({ name, in: where, required = false, example }: Parameter): Html {
  const text = exampleToText(example)
  const attributes = required ? html`required value="${text}"` : html`placeholder="${text}"`
  return html`<label>${name} <input type="text" name="${name}" data-in="${where}" autocomplete="off" ${attributes}></label>
`
}

function acceptInput(types: readonly string[]): Html {
  if (types.length < 2) return html``
  return html`<label>Accept <select name="Accept" data-in="header"><option value="*/*">*/*</option>${types.map((type) => html`<option value="${type}">${type}</option>`)}</select></label>
`
}

function contentInput(content: Content): Html {
  const { 'multipart/form-data': parts } = content
  if (parts) {
    return html`${partNames(parts.schema).map(
      (name) => html`<label>${name} <input type="file" name="${name}" data-in="part"></label>
`,
    )}`
  }
  if (Object.keys(content).length === 0) return html``
  return html`<label>Content-Type <select data-in="type">${Object.entries(content).map(([type, one]) => html`<option value="${type}" data-example="${toContent(type, one)}">${type}</option>`)}</select></label>
<label>Body <textarea data-in="content" rows="6" spellcheck="false"></textarea></label>
`
}

function toContent(type: string, { example }: MediaType): string {
  if (type !== 'application/x-www-form-urlencoded') return exampleToText(example)
  const pairs = isObject(example) ? Object.entries(example) : []
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}

import { sendJson, sendTagged, toTaggedText } from '../http/response/send.ts'
import { hasBody, isJsonType, toMediaType } from '../http/body/body-reader.ts'
import { badRequest, unsupportedMediaType } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import { jsonContent, pageContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import type { Route } from '../http/openapi/route.ts'
import type { Demo } from '../site/demo.ts'
import { renderResponsePage } from '../site/response-page.ts'
import { sendPage } from '../site/send-page.ts'
import { singularId, type ResourceContext } from './context.ts'
import type { Resource } from './definition.ts'
import { toTag } from './record/representations.ts'
import { assertFound } from './record/show.ts'
import { assertStorable } from './write/input.ts'
import { assertMayWrite } from './write/write.ts'
import { writeRecord } from './write/write-record.ts'

const file = 'src/resources/value-routes.ts'
const jsonType = 'application/json'

/** A member of a data file that is neither an object nor a list of objects: `"nextId": 3`. */
export function toValueDemo(resource: Resource): Demo {
  const { name, title, summary, path } = resource
  const text = JSON.stringify(findExample(resource), undefined, 2)
  return {
    name,
    title,
    summary,
    group: 'Resources',
    page: path,
    segment: { name, ignoresCase: false },
    samples: [
      { title: 'Get the value', method: 'GET', path, accept: 'application/json' },
      { title: 'Replace it', method: 'PUT', path, body: { type: 'application/json', text } },
    ],
    routes: ({ config, records }) => {
      const collection = records.collection(name)
      const context = { resource, config, collection, relations: [] }
      return [getValue(context), putValue(context)]
    },
  }
}

function getValue({ resource, collection }: ResourceContext): Route {
  const { path: url, title } = resource
  return {
    method: 'GET',
    url,
    file,
    summary: `Get the value of ${title}`,
    responses: {
      200: {
        description: 'The value.',
        headers: responseHeaders('ETag'),
        content: { ...pageContent, ...toContent(resource) },
      },
    },
    errors: [404, 406, 412],
    store: 'reads',
    config: { defaultType: 'json' },
    handler: async (request, reply) => {
      const type = chooseType(request, reply, [jsonType, 'text/html'])
      const record = assertFound(resource, singularId, await collection.find(singularId))
      const body = JSON.stringify(record.document.value)
      reply.header('cache-control', 'private, no-cache')
      if (type === 'text/html')
        return sendPage(reply, {
          ...renderResponsePage(200, resource, { body, mediaType: jsonType }),
          title: resource.title,
        })
      const tagged = { ...toTaggedText(type, body), etag: toTag(record) }
      return sendTagged(request, reply, tagged)
    },
  }
}

function putValue(context: ResourceContext): Route {
  const { resource } = context
  const content = toContent(resource)
  return {
    method: 'PUT',
    url: resource.path,
    file,
    summary: `Replace the value of ${resource.title}`,
    parameters: requestHeaders('If-Match', 'If-None-Match', 'If-Unmodified-Since'),
    requestBody: { required: true, content },
    responses: { 200: { description: 'Replaced.', headers: responseHeaders('ETag'), content } },
    errors: [412, 428],
    store: 'writes',
    config: { defaultType: 'json', accepts: [jsonType] },
    handler: async (request, reply) => {
      const { body: value, headers, raw } = request
      if (hasBody(raw) && !isJsonType(toMediaType(headers['content-type'])))
        throw unsupportedMediaType('Send the value as application/json.', { accept: jsonType })
      if (value === undefined) throw badRequest('The body must be a JSON value.')
      assertStorable(value)
      const record = await writeRecord(context, singularId, async (current) => {
        assertMayWrite(request, context, current)
        return Promise.resolve({ value })
      })
      return sendJson(reply.header('etag', toTag(record)), value)
    },
  }
}

/** A later value can have another type. */
function toContent(resource: Resource) {
  return jsonContent({}, findExample(resource))
}

function findExample({ schema }: Resource): unknown {
  const [example = []] = schema.properties.value?.examples ?? []
  return example
}

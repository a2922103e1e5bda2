import { html } from '../../html.ts'
import { step, type Lesson, type Step } from '../lesson.ts'

const Origin = 'https://other.example'

const fromOtherSite = {
  isCrossSite: true,
  withoutScript: html`The links and forms of this page belong to this site. Use the curl command, which
sends the <code>Origin</code> of another site.`,
} satisfies Partial<Step>

export const crossSiteRequests: Lesson = {
  slug: 'cross-site-requests',
  title: 'Cross-site requests',
  summary: 'What another site can make your browser do, and what stops it.',
  minutes: 6,
  introduction: [
    html`Any page can make your browser send requests to this service, and the browser may add your cookies.
Two rules limit the damage: scripts can read responses of other origins only with permission (CORS), and
the server rejects writes that come from other sites (protection against CSRF).`,
    html`The buttons below send from a sandboxed frame. Its origin is <code>null</code>, so the browser and
the server treat it as another site. The request in each box, and its curl command, have the origin
<code>${Origin}</code> instead.`,
  ],
  steps: [
    step('Read from another origin', 'GET /locations', 'locations', {
      ...fromOtherSite,
      why: html`A browser sends the request, but a script gets the response only if the server permits it.
This is the CORS protocol of the Fetch standard.`,
      headers: { Accept: 'application/json', Origin },
      lookFor: [
        html`The browser adds <code>Origin</code>. A script cannot change it.`,
        html`<code>Access-Control-Allow-Origin: *</code> permits scripts of all sites to read the response. It
does not permit cookies.`,
        html`<code>Sec-Fetch-Site: cross-site</code> also states that the request comes from another site.
Browsers send it over HTTPS, or if the service runs on the same computer. If you opened this page over plain
HTTP from another computer, the request does not have it.`,
      ],
    }),
    step('Write from another site', 'POST /locations', 'locations', {
      ...fromOtherSite,
      why: html`A form of another site can send POST to any URL. CORS does not stop it, because the attacker
does not need the response.`,
      headers: { Accept: 'application/json', Origin },
      fields: { name: 'Pier' },
      lookFor: [
        html`The response is 403 Forbidden, and no record is created. The server compares
<code>Origin</code> with its own origin.`,
        html`<code>type</code> in the body is the URL of a page that explains the error.`,
        html`The operator can permit an origin with the setting <code>CORS_ORIGINS</code>.`,
      ],
    }),
    step('Ask before a PUT request', 'OPTIONS /locations/my-lesson', 'locations', {
      ...fromOtherSite,
      why: html`Forms cannot send PUT. When a script of another origin does, the browser first sends a
<em>preflight</em>: an OPTIONS request with the method of the request that would follow. The Send button asks the
browser for the PUT request, and the browser sends this preflight.`,
      headers: { Origin, 'Access-Control-Request-Method': 'PUT' },
      lookFor: [
        html`On this page, the request fails: a script does not see preflights, and the browser does not
send the PUT request. The network panel of the browser shows the preflight.`,
        html`With curl, <code>Access-Control-Allow-Methods</code> lists the methods that this origin can use.
PUT is not in the list.`,
        html`A preflight protects servers that were written before CORS existed. It does not replace the
check of <code>Origin</code>.`,
      ],
    }),
  ],
}

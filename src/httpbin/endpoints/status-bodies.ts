import type { DialectName } from '../dialect.ts'

const payMe = 'Fuck you, pay me!'

const teapot = String.raw`
    -=[ teapot ]=-

       _...._
     .'  _ _ ${'`'}.
    | ."${'`'} ^ ${'`'}". _,
    \_;${'`'}"---"${'`'}|//
      |       ;/
      \_     _/
        ${'`'}"""${'`'}
`

const images = ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png']
const unsupported = 'Client did not request a supported media type'

const choices = `<!doctype html>
<head>
<title>Multiple Choices</title>
</head>
<body>
<ul>
<li><a href="{prefix}/image/jpeg">/image/jpeg</a></li>
<li><a href="{prefix}/image/png">/image/png</a></li>
<li><a href="{prefix}/image/svg">/image/svg</a></li>
</body>
</html>`

const permanent = `<!doctype html>
<head>
<title>Permanent Redirect</title>
</head>
<body>Permanently redirected to <a href="{prefix}/image/jpeg">{prefix}/image/jpeg</a>
</body>
</html>`

/** The bodies that both services send with these status codes. */
export const bodies: Readonly<Record<DialectName, Readonly<Record<number, string>>>> = {
  httpbin: {
    402: payMe,
    406: `{"message": "${unsupported}.", "accept": ${JSON.stringify([...images, 'image/*']).replaceAll(',', ', ')}}`,
    418: teapot,
  },
  'go-httpbin': {
    300: choices,
    308: permanent,
    402: payMe,
    406: `${JSON.stringify({ message: unsupported, accept: [...images, 'image/'] }, null, 2)}\n`,
    418: "I'm a teapot!",
  },
}

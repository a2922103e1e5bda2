import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { paste, readRows } from './composer.ts'
import { openSite } from './site.ts'

const fillPath = (page: Page, command: string) => page.getByLabel('Path').fill(command)

for (const [command, target, note] of [
  [
    'curl https://example.com/foo --proxy x -k',
    '/foo',
    'The request is sent to this service, not to example.com. --proxy and -k are left out.',
  ],
  ['curl --insecure -sSLi /a', '/a', '--insecure is left out.'],
  ['curl -F a=b -xh:1 /a /b', '/a', '-F, -x, and /b are left out.'],
  ['curl /a -d @file.json --data-raw @b', '/a', '-d @file.json is left out.'],
  ['curl file:///a', '/a', 'The request is sent to this service, not to file:///a.'],
  ['curl --compressed /a', '/a', ''],
  [
    'curl -b cookies.txt -H @headers.txt /a',
    '/a',
    '-b cookies.txt and -H @headers.txt are left out.',
  ],
  ['curl --data-urlencode a@file -T b /a', '/a', '--data-urlencode a@file and -T b are left out.'],
  ["curl -s /a | jq -r '.name'", '/a', "| jq -r '.name' is left out."],
  ['curl /a > out 2>&1', '/a', '> out 2>&1 is left out.'],
  ['curl /a; echo', '/a', '; echo is left out.'],
  ["curl /a 'b", '/a', "'b is left out."],
  ['curl /a --next /b', '/a', '--next /b is left out.'],
  ['curl --unknown b /a', '/a', '--unknown and b are left out.'],
  ['curl --aws-sigv4 aws:s3 -u a:b /a', '/a', '--aws-sigv4 and -u are left out.'],
  [
    'curl "/a?b=$KEY" -H "X-A: ${B}" -H \'X-B: $C\'',
    '/a?b=$KEY',
    'Replace $KEY and ${B} before you send.',
  ],
  ['curl -X GET /a -d b', '/a', 'A page cannot send a body with GET.'],
  [
    'curl https://<host>/a',
    '/a',
    'The request is sent to this service, not to the host of the command.',
  ],
] as const) {
  test(`${command} is sent as the page says`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    const notes = page.locator('[data-part=notes]')
    for (const enter of [paste, fillPath]) {
      await page.goto('/')
      await enter(page, command)
      assert.equal(await page.getByLabel('Path').inputValue(), target)
      assert.equal(await notes.textContent(), note)
      await page.getByLabel('Path').fill('/users')
      assert.equal(await notes.textContent(), '')
    }
  })
}

const commands: readonly [
  command: string,
  method: string,
  target: string,
  rows: readonly string[],
  body?: string,
][] = [
  ['curl http://127.0.0.1:3000/users', 'GET', '/users', []],
  ["curl -i -X PUT '/a b' -H 'X-A: 1'", 'PUT', '/a%20b', ['X-A', '1']],
  ["curl \\\n  --request=PATCH \\\n  http://h/x?y=1 -d 'a=b'", 'PATCH', '/x?y=1', []],
  [`curl --json '{"a":"it'\\''s"}' h.example/x`, 'POST', '/x', []],
  ['curl -I /users', 'HEAD', '/users', []],
  ["curl -X LINK /users -H '-sX: 1'", 'LINK', '/users', ['-sX', '1']],
  ['curl.exe -XDELETE -H "X-B: \\"2\\"" /users', 'DELETE', '/users', ['X-B', '"2"']],
  ['curl -sSiXPUT -m 5 -o file /users/a', 'PUT', '/users/a', []],
  ["curl -G /topic -d a=b --data-urlencode 'c=d e'", 'GET', '/topic?a=b&c=d%20e', []],
  ["curl /users --data-raw $'it\\'s \\u0041' --compressed", 'POST', '/users', [], "it's A"],
  ['curl https://ann:p%w@h/a', 'GET', '/a', ['Authorization', 'Basic YW5uOnAldw==']],
  ['curl -u ann /a', 'GET', '/a', ['Authorization', 'Basic YW5uOg==']],
  ['curl -u ann:x -H "authorization: Bearer a" /a', 'GET', '/a', ['authorization', 'Bearer a']],
  ['curl --oauth2-bearer abc /a', 'GET', '/a', ['Authorization', 'Bearer abc']],
  ["curl /a -H 'X-A:' -H 'X-B;' -H 'Expect:'", 'GET', '/a', ['X-B', '']],
  ['curl /a -d @file', 'POST', '/a', []],
  ['curl -T file -H "X-A: 1" /a', 'PUT', '/a', ['X-A', '1']],
  ['curl --url-query n=1 -G -d "a=b c" "/a?b=c"', 'GET', '/a?b=c&n=1&a=b%20c', []],
  ["curl --json '{\"a\":1' --json '}' /a", 'POST', '/a', [], '{"a":1}'],
  ['$ curl -v http://h/a 2>&1', 'GET', '/a', []],
  ['curl http://h/a?b=1&c=2', 'GET', '/a?b=1&c=2', []],
  [
    'curl ^"https://h/a^" ^\r\n  -H ^"x-a: 1^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"',
    'POST',
    '/a',
    ['x-a', '1'],
    '{"a":1}',
  ],
  ['curl `\n  -Uri a `\n  -X PUT /a', 'PUT', '/a', []],
  // From the documentation of Stripe, GitHub, Slack, OpenAI, Kubernetes, S3 and Elasticsearch.
  [
    'curl https://api.stripe.com/v1/charges -u "sk_test_4eC:" -d amount=2000 -d "metadata[a]"=6735',
    'POST',
    '/v1/charges',
    ['Authorization', 'Basic c2tfdGVzdF80ZUM6'],
    'amount=2000&metadata[a]=6735',
  ],
  [
    'curl -L \\\n  -X POST \\\n  -H "X-GitHub-Api-Version: 2022-11-28" \\\n  https://api.github.com/repos/OWNER/REPO/issues \\\n  -d \'{"title":"Found a bug"}\'',
    'POST',
    '/repos/OWNER/REPO/issues',
    ['X-GitHub-Api-Version', '2022-11-28'],
    '{"title":"Found a bug"}',
  ],
  [
    'curl -F file=@dramacat.gif -F channels=C024,D032 -H "X-A: xoxb" https://slack.com/api/files.upload',
    'POST',
    '/api/files.upload',
    ['X-A', 'xoxb'],
  ],
  [
    'curl https://api.openai.com/v1/responses -H "Authorization: Bearer $OPENAI_API_KEY" -d \'{\n  "input": "It\'"\'"\'s \\"now\\""\n}\'',
    'POST',
    '/v1/responses',
    ['Authorization', 'Bearer $OPENAI_API_KEY'],
    '{\n  "input": "It\'s \\"now\\""\n}',
  ],
  [
    'curl --cacert ${CACERT} --header "Authorization: Bearer $(cat token)" -X GET ${APISERVER}/api',
    'GET',
    '/api',
    ['Authorization', 'Bearer $(cat token)'],
  ],
  [
    'curl -X PUT -T file.txt "https://b.s3.amazonaws.com/key?X-Amz-Signature=ab"',
    'PUT',
    '/key?X-Amz-Signature=ab',
    [],
  ],
  [
    'curl -X POST "localhost:9200/_search?pretty" -H \'Content-Type: application/json\' -d\'\n{"size": 1}\n\'',
    'POST',
    '/_search?pretty',
    [],
    '\n{"size": 1}\n',
  ],
]

test('a curl command fills the form', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  for (const [command, method, target, rows, body] of commands) {
    await t.test(command, async () => {
      await page.goto('/')
      await paste(page, command)
      assert.equal(await page.getByLabel('Method').inputValue(), method)
      assert.equal(await page.getByLabel('Path').inputValue(), target)
      assert.deepEqual(await readRows(page), [...rows, '', ''])
      const area = page.locator('[data-in=body]')
      if (body !== undefined) assert.equal(await area.inputValue(), body)
    })
  }
})

const ways: readonly [how: string, (page: Page, command: string) => Promise<unknown>][] = [
  ['is pasted', paste],
  ['is set', fillPath],
  [
    'is typed',
    async (page, command) => {
      await page.getByLabel('Path').fill('')
      await page.getByLabel('Path').pressSequentially(command)
      await page.keyboard.press('Tab')
    },
  ],
  [
    'is typed and sent',
    async (page, command) => {
      await page.getByLabel('Path').fill('')
      await page.getByLabel('Path').pressSequentially(command)
      const sent = page.waitForRequest(/mirror/)
      await page.keyboard.press('Enter')
      assert.equal((await sent).headers()['x-a'], '1')
    },
  ],
]

for (const [how, enter] of ways) {
  test(`a command that ${how} fills the form`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ errorStatuses: [405] })
    await page.goto('/')
    await enter(page, "curl -X PUT http://h/mirror/field -H 'X-A: 1'")
    assert.equal(await page.getByLabel('Path').inputValue(), '/mirror/field')
    assert.equal(await page.getByLabel('Method').inputValue(), 'PUT')
  })
}

import Anthropic from '@anthropic-ai/sdk'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import OpenAI from 'openai'
import { projectFolder } from '../support/start-vitrine.ts'
import { testApp, type OpeningTest } from '../support/test-app.ts'

async function open(t: OpeningTest, maxRetries = 0) {
  const file = join(projectFolder, 'docs/examples/llm.yaml')
  const app = await testApp(t, { settings: { DEMOS: 'mirror', RESPONSES_FILE: file } })
  const origin = await app.listen({ port: 0 })
  return {
    openai: new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'any', maxRetries }),
    anthropic: new Anthropic({ baseURL: origin, apiKey: 'any', maxRetries }),
  }
}

const hello = 'Hello from Vitrine.'
const user = { role: 'user', content: 'Hi' } as const
const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const
const openaiTool = { type: 'function', function: { name: 'get_weather', parameters } } as const
const anthropicTool = { name: 'get_weather', input_schema: parameters }
const ofOpenai = (model: string) => ({ model, messages: [user] })
const ofAnthropic = (model: string) => ({ model, max_tokens: 100, messages: [user] })

test('the client of OpenAI gets messages as JSON and as a stream', async (t) => {
  const { completions } = (await open(t)).openai.chat
  const whole = await completions.create(ofOpenai('any'))
  assert.deepEqual([whole.model, whole.choices[0]?.message.content], ['any', hello])
  const stream = completions.stream({ ...ofOpenai('any'), stream_options: { include_usage: true } })
  const parts: string[] = []
  stream.on('content', (part) => parts.push(part))
  const final = await stream.finalChatCompletion()
  assert.deepEqual(parts.filter(Boolean), ['Hello from ', 'Vitrine.'])
  assert.equal(final.choices[0]?.message.content, hello)
  assert.equal((await stream.totalUsage()).total_tokens, 13)
})

test('the client of OpenAI calls a tool, and sends its result', async (t) => {
  const { completions } = (await open(t)).openai.chat
  const request = { ...ofOpenai('any'), tools: [openaiTool] }
  const called = [
    await completions.create(request),
    await completions.stream(request).finalChatCompletion(),
  ]
  for (const { choices } of called) {
    assert.equal(choices[0]?.finish_reason, 'tool_calls')
    const [call] = choices[0].message.tool_calls ?? []
    assert.ok(call?.type === 'function')
    assert.equal(call.function.name, 'get_weather')
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Paris' })
    const result = { role: 'tool', tool_call_id: call.id, content: 'Rain' } as const
    const messages = [user, choices[0].message, result]
    const answer = await completions.create({ ...request, messages })
    assert.equal(answer.choices[0]?.message.content, hello)
  }
})

test('the client of Anthropic gets messages as JSON and as a stream', async (t) => {
  const { messages } = (await open(t)).anthropic
  const whole = await messages.create(ofAnthropic('any'))
  assert.deepEqual([whole.model, whole.content], ['any', [{ type: 'text', text: hello }]])
  const stream = messages.stream(ofAnthropic('any'))
  const parts: string[] = []
  stream.on('text', (part) => parts.push(part))
  assert.equal(await stream.finalText(), hello)
  assert.deepEqual(parts, ['Hello from ', 'Vitrine.'])
})

test('the client of Anthropic calls a tool, and sends its result', async (t) => {
  const { messages } = (await open(t)).anthropic
  const request = { ...ofAnthropic('any'), tools: [anthropicTool] }
  const called = [await messages.create(request), await messages.stream(request).finalMessage()]
  for (const { stop_reason, content } of called) {
    assert.equal(stop_reason, 'tool_use')
    const [call] = content
    assert.ok(call?.type === 'tool_use')
    assert.deepEqual([call.name, call.input], ['get_weather', { city: 'Paris' }])
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'Rain' } as const
    const answer = messages.stream({
      ...request,
      messages: [user, { role: 'assistant', content }, { role: 'user', content: [result] }],
    })
    assert.equal(await answer.finalText(), hello)
  }
})

for (const status of [429, 503, 529]) {
  test(`both clients report ${String(status)} of vitrine-${String(status)}`, async (t) => {
    const { openai, anthropic } = await open(t)
    const model = `vitrine-${String(status)}`
    await assert.rejects(openai.chat.completions.create(ofOpenai(model)), { status })
    await assert.rejects(openai.chat.completions.create({ ...ofOpenai(model), stream: true }), {
      status,
    })
    await assert.rejects(anthropic.messages.create(ofAnthropic(model)), { status })
  })
}

test('both clients repeat a request to vitrine-429-once', async (t) => {
  const model = 'vitrine-429-once'
  const { openai, anthropic } = await open(t)
  await assert.rejects(openai.chat.completions.create(ofOpenai(model)), { status: 429 })
  await assert.rejects(anthropic.messages.create(ofAnthropic(model)), { status: 429 })
  const again = await open(t, 1)
  const { choices } = await again.openai.chat.completions.create(ofOpenai(model))
  assert.equal(choices[0]?.message.content, hello)
  const stream = again.openai.chat.completions.stream(ofOpenai(model))
  assert.equal(await stream.finalContent(), hello)
  assert.equal((await again.anthropic.messages.create(ofAnthropic(model))).stop_reason, 'end_turn')
  assert.equal(await again.anthropic.messages.stream(ofAnthropic(model)).finalText(), hello)
})

test('both clients notice that the response of vitrine-break ends early', async (t) => {
  const model = 'vitrine-break'
  const { openai, anthropic } = await open(t)
  await assert.rejects(openai.chat.completions.create(ofOpenai(model)))
  await assert.rejects(openai.chat.completions.stream(ofOpenai(model)).finalContent())
  await assert.rejects(anthropic.messages.create(ofAnthropic(model)))
  await assert.rejects(anthropic.messages.stream(ofAnthropic(model)).finalText())
})

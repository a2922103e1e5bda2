import type { FastifyRequest } from 'fastify'
import { isObject } from '../config/is-object.ts'
import { badRequest } from '../http/errors/http-error.ts'
import { jsonContent, objectSchema, pathParameter, text } from '../http/openapi/content.ts'
import { responseHeaders } from '../http/openapi/fields.ts'
import type { Route } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/target.ts'
import { createId } from '../stores/create-id.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { testApiName, type Demo, type Services } from '../site/demo.ts'
import type { Stubs } from '../stubs/stubs.ts'
import { rewindSequences } from '../stubs/stubs-demo.ts'
import { idPattern, idSchema, isId } from '../stores/records/records.ts'
import { getRequests } from './requests-route.ts'
import { resetAll, type ResettableDemo } from './reset-all.ts'
import { openSnapshots } from './snapshots.ts'
import { toStubRoutes } from './stub-routes.ts'

const path = '/_vitrine/snapshots'
const snapshotPath = `${path}/:name(^${idPattern}$)`
const snapshot = objectSchema({ name: idSchema, createdAt: text, records: { type: 'integer' } })
const example = { name: 'start', createdAt: '2026-11-22T02:00:00.000Z', records: 42 }
const parameters = [pathParameter('name', 'The name of the snapshot.', example.name)]
const config = { defaultType: 'json', accepts: ['application/json'] } as const
const shared = { file: 'src/test-api/test-api.ts', config } as const
const ofName = { ...shared, parameters, errors: [404, 409], store: 'writes' } as const
const toDone = (description: string) => ({ 204: { description } })

interface TestedData {
  stubs: Stubs
  definitions: readonly Pick<ResourceDefinition, 'name'>[]
}

/** Tests of a frontend use these routes: each replaces the records of all clients. */
export function testApi(
  catalogue: readonly ResettableDemo[],
  { definitions, stubs }: TestedData,
): Demo {
  return {
    name: testApiName,
    title: 'Test API',
    summary: 'Reset the records, and save and restore them, in the tests of a frontend.',
    samples: [
      { title: 'Reset the records', method: 'POST', path: '/_vitrine/reset' },
      { title: 'Save the records', method: 'POST', path },
    ],
    routes: (services, app) => {
      const { records, states, idempotencyEntries } = services
      const snapshots = openSnapshots(records, definitions)
      const forget = async () => {
        await rewindSequences(stubs.findList().stubs, states)
        // A repeated key would get the response for a record that is gone.
        await idempotencyEntries.clear()
      }
      const routes = [getSnapshots, postSnapshot, postRestore, deleteSnapshot]
      return [
        postReset(services, catalogue, stubs),
        ...toStubRoutes(services, stubs, app),
        getRequests(app),
        ...routes.map((toRoute) => toRoute(snapshots, forget)),
      ]
    },
  }
}

type Forget = () => Promise<void>

function postReset(
  services: Services,
  catalogue: readonly ResettableDemo[],
  { changes }: Stubs,
): Route {
  return {
    ...shared,
    method: 'POST',
    url: '/_vitrine/reset',
    summary: 'Remove all that is stored, and store the records of the data file again',
    description:
      'These preferences work on any request: `vitrine-fail=503` returns that error, and `vitrine-delay=1500` waits 1,500 milliseconds. With `Prefer: vitrine-lose-response`, the connection is closed in place of the first response for an Idempotency-Key, and with `vitrine-lose-response=stall` only later. Another preference that begins with `vitrine-` gets 400.',
    responses: toDone('Only the records of the data file are stored.'),
    errors: [409],
    store: 'writes',
    handler: async (_, reply) => {
      await resetAll(services, catalogue)
      changes.reset()
      return reply.code(204).send()
    },
  }
}

type Snapshots = ReturnType<typeof openSnapshots>

function getSnapshots(snapshots: Snapshots): Route {
  return {
    ...shared,
    method: 'GET',
    url: path,
    summary: 'List the snapshots',
    content: jsonContent({ type: 'array', items: snapshot }, [example]),
    store: 'reads',
    handler: () => snapshots.list(),
  }
}

function postSnapshot(snapshots: Snapshots): Route {
  return {
    ...shared,
    method: 'POST',
    url: path,
    summary: 'Save all records of the data file under a name',
    requestBody: { content: jsonContent(objectSchema({ name: idSchema }), { name: example.name }) },
    responses: {
      201: {
        description: 'Saved.',
        headers: responseHeaders('Location'),
        content: jsonContent(snapshot, example),
      },
    },
    errors: [409],
    store: 'writes',
    handler: async (request, reply) => {
      const saved = await snapshots.create(parseName(request))
      return reply.code(201).header('location', `${path}/${saved.name}`).send(saved)
    },
  }
}

function parseName({ body }: FastifyRequest): string {
  if (body === undefined) return createId()
  const given = isObject(body) ? body.name : undefined
  if (typeof given === 'string' && isId(given)) return given
  throw badRequest('name must have 1 to 64 letters, digits, - and _.')
}

function postRestore(snapshots: Snapshots, forget: Forget): Route {
  return {
    ...ofName,
    method: 'POST',
    url: `${snapshotPath}/restore`,
    summary: 'Replace all records by those of a snapshot',
    responses: toDone('The records are those of the snapshot.'),
    handler: async (request, reply) => {
      await snapshots.restore(toPathParameter(request, 'name'))
      await forget()
      return reply.code(204).send()
    },
  }
}

function deleteSnapshot(snapshots: Snapshots): Route {
  return {
    ...ofName,
    method: 'DELETE',
    url: snapshotPath,
    summary: 'Delete a snapshot',
    responses: toDone('Deleted.'),
    handler: async (request, reply) => {
      await snapshots.remove(toPathParameter(request, 'name'))
      return reply.code(204).send()
    },
  }
}

import type { Config } from '../config/config.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { resourceDemo } from '../resources/routes.ts'
import type { Demo } from '../site/demo.ts'

/** The demos that are served with the resources of a data file, which come first. */
export function combineDemos(
  config: Config,
  catalogue: readonly Demo[],
  definitions: readonly ResourceDefinition[],
) {
  const names = definitions.map(({ name }) => name)
  const resources = definitions.map(defineResource)
  const own = resources.map((resource) => resourceDemo(resource, resources))
  // A demo stores its records in the collection that is named like it.
  const isReplaced = ({ name, uses = [], samples = [] }: Demo) =>
    [name, ...uses].some((each) => names.includes(each)) ||
    (samples.length > 0 && samples.every(({ path }) => names.includes(toSegment(path))))
  const open = catalogue.filter(({ name }) => config.demos.includes(name))
  const kept = open.filter((demo) => !isReplaced(demo)).map((demo) => withoutPaths(demo, names))
  const off = open.filter(isReplaced).map(({ name }) => name)
  const demos: readonly Demo[] = [...own, ...kept]
  const notice = `The data file takes the paths of the demos ${off.join(', ')}, which are off`
  return {
    demos,
    config: { ...config, demos: demos.map(({ name }) => name) },
    notices: off.length > 0 ? [notice] : [],
  }
}

function toSegment(url: string): string {
  return url.split(/[/.]/)[1] ?? ''
}

/** The demo without the routes whose paths are those of resources. */
function withoutPaths(demo: Demo, names: readonly string[]): Demo {
  const isFree = ({ url = '', path = url }: { url?: string; path?: string }) =>
    !names.includes(toSegment(path))
  const { samples = [], page, routes, ...others } = demo
  return {
    ...others,
    samples: samples.filter(isFree),
    ...(page !== undefined && isFree({ path: page }) && { page }),
    routes: async (services, app) =>
      (typeof routes === 'function' ? await routes(services, app) : routes).filter(isFree),
  }
}

import { existsSync, readFileSync } from 'node:fs'

const { node } = process.versions

function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
}

/** Whether the project has a Node of its own: `node_modules/.bin/node` of the npm package `node`. */
function hasOwnNode() {
  const modules = new URL('../../', import.meta.url)
  try {
    const { version } = JSON.parse(readFileSync(new URL('node/package.json', modules), 'utf8'))
    return existsSync(new URL('.bin/node', modules)) && isSupported(version)
  } catch {
    return false
  }
}

function toProblem() {
  const problem = `Vitrine requires Node 24.9 or newer; this is Node ${node}.`
  if (hasOwnNode()) {
    return `${problem}
This project has a newer one. Run "PATH=$PWD/node_modules/.bin:$PATH node_modules/.bin/vitrine" in its folder.`
  }
  return `${problem}
Run "npm install node@26" in the folder of your project: npx and the scripts of its package.json then use that Node.
npm 12 blocks its install script: then also run "npm install-scripts approve node" and "npm install".
In other scripts, put node_modules/.bin first in PATH. In a clone of Vitrine, run "npm ci" and then "npm start".`
}

export const nodeProblem = isSupported(node) ? undefined : toProblem()

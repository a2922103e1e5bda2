const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
const isSupported = major > 24 || (major === 24 && minor >= 9)

export const nodeProblem = isSupported
  ? undefined
  : `Vitrine requires Node 24.9 or newer; this is Node ${node}.
Run "npm install node@26" in the folder of your project: npx and the scripts of its package.json then use that Node.
npm 12 blocks its install script: then also run "npm install-scripts approve node" and "npm install".
In other scripts, put node_modules/.bin first in PATH. In a clone of Vitrine, run "npm ci" and then "npm start".`

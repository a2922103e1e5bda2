import { readFileSync } from 'node:fs'
import { packageFolder } from '../config/package-folder.ts'

export const readAsset = (name: string) =>
  readFileSync(new URL(`src/httpbin/assets/${name}`, packageFolder))

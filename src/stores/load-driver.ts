import { hasCode } from './store-failure.ts'

export async function loadDriver<Module>(
  setting: string,
  packageName: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    throw new Error(`${setting} needs a package: npm install ${packageName}`, { cause: error })
  }
}

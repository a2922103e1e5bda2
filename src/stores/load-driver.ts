/** Imports a package that is not part of the default installation. */
export async function loadDriver<Module>(
  setting: string,
  packageName: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`${setting} needs a driver: npm install ${packageName}`, { cause: error })
  }
}

/** Imports a package that is not part of the default installation. */
export async function loadDriver<Module>(
  setting: string,
  packageName: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new Error(`${setting} needs a driver: npm install ${packageName}`, { cause: error })
  }
}

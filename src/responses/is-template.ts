/** Whether a text has outputs or tags of Liquid. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

import { readFile } from 'node:fs/promises'
import { packageFolder } from '../../config/package-folder.ts'
import { parseLesson, type Lesson } from './lesson.ts'

/** The lessons build on each other in this order. */
const slugs = [
  'methods',
  'forms-and-bodies',
  'status-codes',
  'content-negotiation',
  'caching',
  'concurrent-edits',
  'sessions',
  'cross-site-requests',
]

let lessons: Promise<readonly Lesson[]> | undefined

/** Read when they are first needed: the YAML parser would delay each start. */
export function loadLessons(): Promise<readonly Lesson[]> {
  return (lessons ??= Promise.all(slugs.map(readLesson)))
}

async function readLesson(slug: string): Promise<Lesson> {
  // esbuild gives a CommonJS module only a default export.
  const { default: yaml } = await import('yaml')
  const file = new URL(`src/site/learn/lessons/${slug}.md`, packageFolder)
  const [, frontMatter = '', introduction = ''] =
    /^---\n(.*?)\n---\n(.*)$/s.exec(await readFile(file, 'utf8')) ?? []
  return parseLesson(slug, yaml.parse(frontMatter), introduction)
}

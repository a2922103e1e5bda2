/** Two resources of a data file, with a schema for one. */
export const schema = {
  posts: {
    title: 'Articles',
    required: ['title'],
    properties: {
      id: { type: 'integer' },
      title: { type: 'string', title: 'Headline', minLength: 3, maxLength: 20 },
      slug: { type: 'string', pattern: '^[a-z-]+$', 'x-unique': true },
      state: { enum: ['draft', 'published'], default: 'draft' },
      views: { type: 'integer', readOnly: true, default: 0 },
      token: { type: 'string', writeOnly: true },
      authorId: { type: 'integer', 'x-references': { resource: 'authors', onDelete: 'cascade' } },
    },
  },
}
export const authors = [{ id: 1, name: 'Ann' }]
export const posts = [
  { id: 1, title: 'One', slug: 'one', state: 'draft', authorId: 1, extra: true },
]

// A migration of PocketBase: the collection, open to everyone, with the posts of the data file; no log of requests.
/* global migrate, Collection, Record, $os */
migrate((app) => {
  const settings = app.settings()
  settings.logs.maxDays = 0
  app.save(settings)
  const [listRule, viewRule, createRule] = ['', '', '']
  const collection = new Collection({
    type: 'base',
    name: 'posts',
    listRule,
    viewRule,
    createRule,
    fields: [
      {
        type: 'text',
        name: 'id',
        primaryKey: true,
        required: true,
        system: true,
        min: 1,
        max: 15,
        pattern: '^[a-z0-9]+$',
        autogeneratePattern: '[a-z0-9]{15}',
      },
      { type: 'text', name: 'title' },
      { type: 'text', name: 'body' },
      { type: 'number', name: 'authorId' },
      { type: 'number', name: 'views' },
    ],
  })
  app.save(collection)
  const { posts } = JSON.parse(toString($os.readFile($os.getenv('DATA_FILE'))))
  for (const post of posts) app.save(new Record(collection, { ...post, id: String(post.id) }))
})

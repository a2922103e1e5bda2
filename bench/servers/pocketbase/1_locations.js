// A migration of PocketBase: the collection, open to everyone, with records; no log of requests.
/* global migrate, Collection, Record */
migrate((app) => {
  const settings = app.settings()
  settings.logs.maxDays = 0
  app.save(settings)
  const collection = new Collection({
    type: 'base',
    name: 'locations',
    viewRule: '',
    createRule: '',
    fields: [
      { type: 'text', name: 'name' },
      { type: 'number', name: 'latitude' },
      { type: 'number', name: 'longitude' },
    ],
  })
  app.save(collection)
  for (let index = 0; index < 1000; index += 1) {
    const id = `known${String(index).padStart(10, '0')}`
    app.save(new Record(collection, { id, name: `Place ${index}`, latitude: 1, longitude: 2 }))
  }
})

/** Data with ties, missing fields, null, several types in one field, text that is not ASCII, and hostile names. */
export const data = {
  posts: [
    {
      id: 1,
      title: 'json-server',
      views: 100,
      author: { name: 'typicode', age: 30 },
      tags: ['a', 'b'],
    },
    { id: 2, title: 'Other', views: 200, draft: true, author: { name: 'Zoë' } },
    { id: 3, title: 'éclair', views: 100, draft: false, rating: null },
    { id: 4, title: 'Zebra', views: 15, mixed: '10', tags: [] },
    { id: 5, title: 'apple', views: 9, mixed: 10, author: { name: 'ann' } },
    { id: 6, title: 'Äpfel', views: 1000, mixed: true, author: null },
    { id: 7, title: '10', views: 0, mixed: null, rating: 4.5 },
    { id: 8, title: '9', views: -3, mixed: { a: 1 }, rating: 4.5 },
    { id: 9, title: '', mixed: [1, 2], rating: 5 },
    { id: 10, views: 100, title: 'a.b*c', rating: 3, 'a.b': 'dotted', constructor: 'x' },
    { id: 11, title: 'JSON and more json', views: 100, rating: 1 },
    { id: 12, title: 'null', views: 7, draft: true, toString: 1 },
  ],
  comments: [
    { id: 1, body: 'some comment', postId: 1 },
    { id: 2, body: 'another', postId: 2, likes: 3 },
    { id: 3, body: 'third', postId: 1, likes: 1 },
    { id: 4, body: 'of nine', postId: 9 },
    { id: 5, body: 'of ten', postId: 10 },
  ],
  categories: [
    { id: 'a', name: 'News' },
    { id: 'b', name: 'Olds' },
  ],
  items: [
    { id: 'x', name: 'first', categoryId: 'a', price: 5 },
    { id: 'y', name: 'second', categoryId: 'a', price: 12 },
    { id: 'z', name: 'third', categoryId: 'b', price: 5 },
    { id: 'w', name: 'fourth' },
  ],
  groups: ['g1', 'g2', 'g3', 'g4'].map((id) => ({ id, name: `Group ${id}` })),
  members: ['g1', 'g1', 'g2', 'g3', 'g4', 'g4'].map((groupId, index) => {
    return { id: `m${String(index)}`, groupId }
  }),
  empty: [],
  profile: { name: 'typicode', address: { city: 'Paris' } },
} as const

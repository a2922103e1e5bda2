import type { DialectName } from '../dialect.ts'

/** In the order of its text, which both services send. */
export const slideshow = {
  slideshow: {
    author: 'Yours Truly',
    date: 'date of publication',
    slides: [
      { title: 'Wake up to WonderWidgets!', type: 'all' },
      {
        items: ['Why <em>WonderWidgets</em> are great', 'Who <em>buys</em> WonderWidgets'],
        title: 'Overview',
        type: 'all',
      },
    ],
    title: 'Sample Slide Show',
  },
}

const denied = "YOU SHOULDN'T BE HERE"

export const face: Readonly<Record<DialectName, string>> = {
  httpbin: `
          .-''''''-.
        .' _      _ '.
       /   O      O   \\
      :                :
      |                |
      :       __       :
       \\  .-"\`  \`"-.  /
        '.          .'
          '-......-'
     ${denied}
`,
  'go-httpbin': denied,
}

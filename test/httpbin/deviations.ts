/** Why a response differs from the recorded one on purpose, by dialect and request line. */
export const deviations: Readonly<Record<string, string>> = {
  'httpbin GET /status/402': 'A body always has a Content-Type.',
  'httpbin GET /status/407': 'Gunicorn removes the challenge.',
  'httpbin GET /status/418': 'A body always has a Content-Type.',
  'httpbin GET /status/99': 'Not 500.',
  'httpbin GET /status/-1': 'Not 500.',
  'httpbin GET /status/203:1:2,203': 'Not 500.',
}

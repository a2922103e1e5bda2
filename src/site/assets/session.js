// Adds countdowns to the expiry times of a session.
import { create } from './dom.js'

const openedAt = Date.now()
const ends = Array.from(document.querySelectorAll('[data-seconds]'), (end) => {
  const countdown = create('strong')
  const bar = create('progress', { max: end.dataset.lifetime, 'aria-hidden': 'true' })
  end.prepend(countdown)
  end.after(bar)
  return { seconds: Number(end.dataset.seconds), countdown, bar }
})

function show() {
  // Relative to the page load: the clocks of server and browser may differ.
  const passed = (Date.now() - openedAt) / 1000
  for (const { seconds, countdown, bar } of ends) {
    const left = Math.ceil(seconds - passed)
    countdown.textContent = left > 0 ? `in ${formatDuration(left)}` : 'expired'
    bar.value = Math.max(0, left)
    if (left > 0) continue
    document.querySelector('[data-part=over]').hidden = false
    clearInterval(timer)
  }
}

function formatDuration(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return hours > 0 ? `${hours} h ${rest}` : rest
}

const timer = setInterval(show, 1000)
show()

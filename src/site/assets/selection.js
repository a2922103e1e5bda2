// The selection of records in a list, loaded when the first one is selected: the number on the button and in the
// question, all records at once, and a range with Shift.

/** The service deletes as many at once. */
const maxDeleted = 100
const form = document.querySelector('#bulk')
const button = document.querySelector('[popovertarget=bulk]')
let latest

export function select(box, isRange) {
  const boxes = [...document.querySelectorAll('tbody .pick input')]
  const at = boxes.indexOf(box)
  const others = at === -1 ? boxes.slice(0, maxDeleted) : isRange ? toRange(boxes, at) : []
  if (at === -1) for (const each of boxes) each.checked = false
  for (const each of others) each.checked = box.checked
  latest = at === -1 ? undefined : box
  const count = boxes.filter(({ checked }) => checked).length
  button.textContent = `Delete ${count}`
  form.querySelector('span').textContent =
    `${count} ${count === 1 ? form.dataset.one : form.dataset.many}`
}

/** From the box that was used before. */
function toRange(boxes, at) {
  const from = boxes.indexOf(latest)
  return from === -1 ? [] : boxes.slice(Math.min(from, at), Math.max(from, at) + 1)
}

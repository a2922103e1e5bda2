/** A terminal, or what a program's output goes into instead. */
interface Output {
  isTTY?: boolean
  write: (text: string) => unknown
}

/**
 * Makes a function that is told how much of `total` is done: one line that is written again and again
 * on a terminal, and else one for every tenth.
 */
export function createProgress(total: number, output: Output): (done: number) => void {
  const isTerminal = output.isTTY === true
  const step = isTerminal ? 1 : 10
  let shown = 0
  return (done) => {
    const percent = Math.floor((done / total) * 100)
    if (percent < shown + step) return
    shown = percent - (percent % step)
    const line = `${String(shown)} % (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`
    if (!isTerminal) output.write(`${line}\n`)
    else output.write(`\r${line}${shown === 100 ? '\n' : ''}`)
  }
}

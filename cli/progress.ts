/** How often a start that takes long says what it is doing, in milliseconds. */
const INTERVAL = 2_000;

/** Says on standard error what a command is doing when it takes longer than a moment: what does not change is printed once. */
export function showProgress(name: string): { step(doing: string): void; stop(): void } {
  let doing = 'starting';
  let printed = '';
  const timer = setInterval(() => {
    if (doing === printed) return;
    printed = doing;
    process.stderr.write(`${name}: ${doing} …\n`);
  }, INTERVAL).unref();
  return {
    step(next) {
      doing = next;
    },
    stop: () => clearInterval(timer),
  };
}

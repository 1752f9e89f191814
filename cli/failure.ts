/**
 * What a shell shows of an error: its message, and where it was thrown only with LOG_LEVEL=debug (or trace): who runs a command reads what to do, who
 * mends it sets that.
 */
export function reasonOf(error: unknown): string {
  const { message, stack, name, code } = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException;
  // what stands for several errors, as of a host with several addresses, has no message of its own
  const text = message || (code ?? name);
  return ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '') ? (stack ?? text) : text;
}

/** It is no template that can be read. */
export class NoTemplate extends Error {
  override readonly name = 'NoTemplate';
}

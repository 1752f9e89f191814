/** A damaged record that is not the last one: the store refuses to start rather than lose what follows. */
export class JournalCorruptError extends Error {
  override readonly name = 'JournalCorruptError';

  /**
   * @param file the journal file.
   * @param offset the byte offset of the damaged record.
   */
  constructor(
    readonly file: string,
    readonly offset: number,
    reason: string,
  ) {
    super(reason.includes(file) ? reason : `${file} is damaged at byte ${offset}: ${reason}`);
  }
}

/** Another living process has the folder open. */
export class StoreInUseError extends Error {
  override readonly name = 'StoreInUseError';

  /** @param pid null when it cannot be seen from here: it runs in another container, or on another machine. */
  constructor(
    readonly file: string,
    readonly pid: number | null,
  ) {
    super(`the embedded store is in use by ${pid === null ? 'a process of another container or machine' : `process ${pid}`} (${file})`);
  }
}

/** The folder could not be locked, or not in a way that holds; the message says what to do. */
export class StoreLockError extends Error {
  override readonly name = 'StoreLockError';
}

/** What is on the disk is not what was written: the store refuses to start, or to go on, rather than lose any of it. */
export class StoreDamagedError extends Error {
  override readonly name = 'StoreDamagedError';

  /**
   * @param file the damaged file, where it is known
   * @param offset the byte at which the damage begins
   */
  constructor(
    reason: string,
    readonly file?: string,
    readonly offset?: number,
  ) {
    super(
      file === undefined || reason.includes(file)
        ? reason
        : `${file} is damaged${offset === undefined ? '' : ` at byte ${offset}`}: ${reason}`,
    );
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

// Loaded before a process, it moves the process's clock by WRONG_BY milliseconds, as a machine whose clock was never set.
const RightDate = Date;
const wrongBy = Number(process.env.WRONG_BY);

globalThis.Date = class Date extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + wrongBy);
    else super(...args);
  }

  static now() {
    return RightDate.now() + wrongBy;
  }
};

// Loaded before a process, it moves the process's clock by WRONG_BY milliseconds, as a machine whose clock was never set; or by what the file WRONG_BY_FILE
// says, also while the process runs, as one whose clock is set.
import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers';

const RightDate = Date;
const { WRONG_BY = '0', WRONG_BY_FILE } = process.env;
let wrongBy = Number(WRONG_BY);

if (WRONG_BY_FILE !== undefined) {
  const look = () => void (wrongBy = Number(readFileSync(WRONG_BY_FILE, 'utf8')));
  look();
  setInterval(look, 50).unref();
}

globalThis.Date = class Date extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + wrongBy);
    else super(...args);
  }

  static now() {
    return RightDate.now() + wrongBy;
  }
};

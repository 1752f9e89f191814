import { celError, celType, type CelError, type CelValue } from '@bufbuild/cel';

/** What a planned expression gives: a value, or the error that stands for it. */
export type Value = CelValue | CelError;
/** Values of the variables, by the place that planning gave them. */
export type Frame = Value[];
export type Step = (frame: Frame) => Value;

/** Every CelError is an Error, and nothing else among the values is. */
export const isError = (value: Value): value is CelError => typeof value === 'object' && value instanceof Error;

const mismatch = (value: CelValue): CelError => celError(`type mismatch: expected bool, got ${celType(value).toString()}`);

/** `&&` (decided by false) and `||` (decided by true): an error counts only where no part decides. */
export function junction(parts: Step[], decisive: boolean): Step {
  const [first, second] = parts;
  if (parts.length === 2) {
    return (frame) => {
      const a = first!(frame);
      if (a === decisive) return decisive;
      const b = second!(frame);
      if (b === decisive) return decisive;
      return typeof a !== 'boolean' ? (isError(a) ? a : mismatch(a)) : typeof b === 'boolean' || isError(b) ? b : mismatch(b);
    };
  }
  return (frame) => {
    let failure: CelError | undefined;
    for (const part of parts) {
      const value = part(frame);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') failure ??= isError(value) ? value : mismatch(value);
    }
    return failure ?? !decisive;
  };
}

/** Hands values on when none of them is an error. */
export function strict(steps: Step[], of: (values: CelValue[]) => Value): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (isError(value)) return value;
      values.push(value);
    }
    return of(values);
  };
}

/** One turn of a macro: whether it ends with it, or the error that the macro ends in. */
export type Turn = (frame: Frame, gathered: CelValue[]) => boolean | CelError;

export function folding(goesOn: Step, step: Step, accumulated: number): Turn {
  return (frame) => {
    const condition = goesOn(frame);
    if (isError(condition)) return condition;
    if (condition !== true) return true;
    frame[accumulated] = step(frame);
    return false;
  };
}

/** `map` and `filter`: elements are gathered in order; the first error is the answer. */
export function gathering(goesOn: Step, test: Step | undefined, element: Step): Turn {
  return (frame, gathered) => {
    const condition = goesOn(frame);
    if (isError(condition)) return condition;
    if (condition !== true) return true;
    if (test !== undefined) {
      const wanted = test(frame);
      if (wanted === false) return false;
      if (wanted !== true) return isError(wanted) ? wanted : mismatch(wanted);
    }
    const value = element(frame);
    if (isError(value)) return value;
    gathered.push(value);
    return false;
  };
}

/** `all` and `exists`: the first answer that decides ends it. */
export function deciding(test: Step, decisive: boolean, accumulated: number): Turn {
  return (frame) => {
    const value = test(frame);
    if (value === decisive) {
      frame[accumulated] = decisive;
      return true;
    }
    // an error stays, unless a later element decides
    if (typeof value !== 'boolean' && !isError(frame[accumulated]!)) frame[accumulated] = isError(value) ? value : mismatch(value);
    return false;
  };
}

/** A queue that gives the smallest first; of equal ones the one that came first, so that answers do not depend on chance. */
export class Heap {
  private readonly keys: number[] = [];
  private readonly orders: number[] = [];
  private readonly values: number[] = [];
  private count = 0;

  get size(): number {
    return this.values.length;
  }

  /** The smallest key; undefined of an empty queue. */
  get least(): number | undefined {
    return this.keys[0];
  }

  push(key: number, value: number): void {
    let at = this.values.length;
    this.keys.push(key);
    this.orders.push(this.count++);
    this.values.push(value);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isBefore(at, above)) return;
      this.swap(at, above);
      at = above;
    }
  }

  /** The value of the smallest key; the queue must not be empty. */
  pop(): number {
    const value = this.values[0]!;
    const last = this.values.length - 1;
    this.swap(0, last);
    this.keys.pop();
    this.orders.pop();
    this.values.pop();
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < last && this.isBefore(left, first)) first = left;
      if (right < last && this.isBefore(right, first)) first = right;
      if (first === at) return value;
      this.swap(at, first);
      at = first;
    }
  }

  private isBefore(one: number, other: number): boolean {
    const difference = this.keys[one]! - this.keys[other]!;
    return difference === 0 ? this.orders[one]! < this.orders[other]! : difference < 0;
  }

  private swap(one: number, other: number): void {
    const { keys, orders, values } = this;
    const [key, order, value] = [keys[one]!, orders[one]!, values[one]!];
    keys[one] = keys[other]!;
    orders[one] = orders[other]!;
    values[one] = values[other]!;
    keys[other] = key;
    orders[other] = order;
    values[other] = value;
  }
}

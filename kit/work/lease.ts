/** How long work stays with a worker that gives no sign of life, in milliseconds; then another worker takes it. A worker gives three in the time. */
export const LEASE_MS = 10_000;

import type { Provider } from '../schema/model.js';

/** How fast one service of an account in one region is asked: steadily, and at once after it was left alone. */
export interface Rate {
  /** Calls a second. */
  readonly steady: number;
  readonly atOnce: number;
}

/**
 * Provider -> how fast it is asked, below what it lets through, so that the account's own tools are served beside: buckets of AWS' EC2 hold 50 to 100 reads and those
 * of Azure's Resource Manager 250 (25 a second); the others name quotas by minute, which are far above this for lists.
 */
export const RATES: Readonly<Record<Provider, Rate>> = {
  aws: { steady: 40, atOnce: 100 },
  azure: { steady: 20, atOnce: 100 },
  gcp: { steady: 10, atOnce: 50 },
  oci: { steady: 20, atOnce: 50 },
  alicloud: { steady: 20, atOnce: 50 },
  ibm: { steady: 20, atOnce: 50 },
  k8s: { steady: 50, atOnce: 200 },
};

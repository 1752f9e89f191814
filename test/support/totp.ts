import { generateSync } from 'otplib';

/** The code that an authenticator app shows at `at`, or `steps` of 30 seconds later. */
export const totpCode = (secret: string, at: Date = new Date(), steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(at.getTime() / 1000) + steps * 30 });

/** Waits out the end of a step, so that a code of the step before still counts when it arrives. */
export async function earlyInStep(): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left));
}

/** A secret of 160 bits, in base32. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

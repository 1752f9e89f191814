import { generateSync } from 'otplib';

/** The code that an authenticator app shows at `at`, or `steps` of 30 seconds later. */
export const totpCode = (secret: string, at: Date = new Date(), steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(at.getTime() / 1000) + steps * 30 });

/** A secret of 160 bits, in base32. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

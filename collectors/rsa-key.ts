import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ConnectionRefused } from './types.js';

/** A key that signs by RSA. @param whose `The private key of the service account` @throws ConnectionRefused, without a word of the key */
export function rsaKey(pem: string, whose: string, others: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new ConnectionRefused(`${whose} cannot be read.`);
  }
  if (key.asymmetricKeyType !== 'rsa') throw new ConnectionRefused(others);
  return key;
}

import nodemailer from 'nodemailer';
import type { AuthContext } from '../base/auth-context.js';
import type { JobQueue } from './jobs.js';
import type { MasterKey } from '../keys/master-key.js';
import { seal, unseal } from '../keys/seal.js';
import type { TransactionOf } from '../store/query.js';

/** A mail in plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail through SMTP_URL. */
export interface Mailer {
  /** Whether there is a mail server at all. */
  readonly configured: boolean;
  /** @throws what the mail server or the connection answers; an Error when there is no mail server */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** @param config SMTP_URL and MAIL_FROM */
export function createMailer(config: { SMTP_URL?: string; MAIL_FROM: string }): Mailer {
  if (config.SMTP_URL === undefined) {
    const send = async () => {
      throw new Error('there is no mail server: set SMTP_URL');
    };
    return { configured: false, send, close: () => undefined };
  }
  const transport = nodemailer.createTransport(
    { url: config.SMTP_URL, pool: true, maxConnections: 4, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 },
    // what a mail carries comes from our own text only: nothing is read from files or URLs
    { from: config.MAIL_FROM, disableFileAccess: true, disableUrlAccess: true },
  );
  return { configured: true, send: async (mail) => void (await transport.sendMail(mail)), close: () => transport.close() };
}

/** Name of the job that sends a mail. */
export const MAIL_JOB = 'mail.send';
const mailKey = (masterKey: MasterKey) => masterKey.derive('mail');

/**
 * Adds a mail to the queue within `transaction`, sealed, because mails carry links and codes. Call `jobs.wake` after the commit.
 * @param auth whose job it is; names the tenant
 */
export async function queueMail(
  { jobs, masterKey }: { jobs: JobQueue; masterKey: MasterKey },
  transaction: TransactionOf,
  auth: AuthContext,
  mail: Mail,
): Promise<void> {
  const sealed = seal(mailKey(masterKey), auth.tenant_id, Buffer.from(JSON.stringify(mail)));
  await jobs.add(transaction, auth, MAIL_JOB, { sealed });
}

/** The mail of a MAIL_JOB's payload. @throws when it was sealed for another tenant or by another master key */
export function openQueuedMail(masterKey: MasterKey, tenantId: string, payload: Readonly<Record<string, unknown>>): Mail {
  return JSON.parse(unseal(mailKey(masterKey), tenantId, payload['sealed'] as string).toString()) as Mail;
}

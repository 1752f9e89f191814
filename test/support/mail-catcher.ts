import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as it came in. */
export interface CaughtMail {
  to: string;
  /** Header and body as they were sent. */
  raw: string;
  /** The text, without the line breaks that quoted-printable puts into long lines (RFC 2045, 6.7). */
  body: string;
}

/** A mail server that keeps what it gets. */
export interface MailCatcher {
  /** For SMTP_URL. */
  readonly url: string;
  readonly mails: readonly CaughtMail[];
  /** The newest code of eight digits that was mailed to `address`. @throws when there is none */
  codeFor(address: string): string;
  close(): Promise<void>;
}

/** Opens a mail server on a free port of loopback. @param refuse whose mail it does not take */
export async function openMailCatcher(refuse: (address: string) => boolean = () => false): Promise<MailCatcher> {
  const mails: CaughtMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(refuse(address) ? new Error('no such mailbox') : null),
    onData: (stream, { envelope }, done) => {
      void text(stream).then((raw) => {
        const body = raw.slice(raw.indexOf('\r\n\r\n') + 4).replaceAll('=\r\n', '');
        for (const { address } of envelope.rcptTo) mails.push({ to: address, raw, body });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    codeFor(address) {
      const code = /\b\d{8}\b/.exec(mails.findLast(({ to }) => to === address)?.body ?? '')?.[0];
      if (code === undefined) throw new Error(`no code was mailed to ${address}`);
      return code;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  subject: string;
  text: string;
}

/** A mail server that keeps what it is given. */
export interface Mailbox {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The n-th mail to an address, from 0, once it is there. @throws when it does not come */
  mailTo(address: string, index?: number): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** RFC 2045, 6.7. */
const unquote = (body: string) =>
  Buffer.from(
    body.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

function parseMail(raw: string, to: string[]): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  const body = raw.slice(end + 4);
  const encoding = header('content-transfer-encoding').toLowerCase();
  const decoded = encoding === 'base64' ? Buffer.from(body, 'base64').toString() : encoding === 'quoted-printable' ? unquote(body) : body;
  return { to, subject: header('subject'), text: decoded };
}

/** Starts a mail server on a free port of this machine. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      void text(stream).then((raw) => {
        mails.push(
          parseMail(
            raw,
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        );
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async mailTo(address, index = 0) {
      for (const until = Date.now() + 300_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 50))) {
        const mail = mails.filter(({ to }) => to.includes(address))[index];
        if (mail) return mail;
      }
      throw new Error(`mail ${index} to ${address} did not come; there are ${JSON.stringify(mails.map(({ to }) => to))}`);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

import type { Mail, Mailer } from '../../../kit/work/mail.js';
import { ChannelError } from './channel-error.js';
import { findingUrl, headline, oneLine, resourceLine, restLine, severityLine, type Digest } from './digest.js';

/** A digest as a plain mail. The subject holds our own words and numbers only. */
export function digestMail(to: readonly string[], digest: Digest, publicUrl: string | undefined): Mail {
  const findings = digest.findings.map((finding) =>
    [`[${finding.severity}] ${oneLine(finding.title, 200)}`, `    ${resourceLine(finding)}`, `    ${findingUrl(publicUrl, finding)}`].join(
      '\n',
    ),
  );
  const rest = restLine(digest);
  return {
    to: to.join(', '),
    subject: `Palisade: ${headline(digest)} (${severityLine(digest)})`,
    text: [
      `${headline(digest)}: ${severityLine(digest)}`,
      `Notification rule: ${oneLine(digest.rule.name, 200)}`,
      ...findings,
      ...(rest === null ? [] : [rest]),
    ].join('\n\n'),
  };
}

/** @throws ChannelError when there is no mail server, or it refuses the mail */
export async function sendMail(mailer: Mailer, mail: Mail): Promise<void> {
  if (!mailer.configured) throw new ChannelError('this deployment has no mail server', false);
  try {
    await mailer.send(mail);
  } catch (error) {
    const { responseCode } = error as { responseCode?: number };
    throw new ChannelError(
      responseCode === undefined ? 'the mail server cannot be reached' : `the mail server answered ${responseCode}`,
      responseCode === undefined || responseCode < 500,
    );
  }
}

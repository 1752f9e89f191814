import type { Outbound } from '../../_kit/outbound.js';
import { callTarget, shownText } from './call-target.js';
import { refusal } from './channel-error.js';
import { findingUrl, headline, oneLine, resourceLine, restLine, severityLine, type Digest } from './digest.js';

/** Findings in one section: a section holds at most 3,000 characters. */
const A_SECTION = 5;

/** Text as it may stand in Slack's mrkdwn: no link, no mention, no channel call can be made of it (Slack, "Formatting text"). */
export const escapeMrkdwn = (text: string): string => text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark]!);

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

/** A digest as Slack's incoming webhooks take it; `text` is what compatible services and notifications show. */
export function digestPost(digest: Digest, publicUrl: string | undefined) {
  const line = (finding: Digest['findings'][number]) => {
    const title = escapeMrkdwn(oneLine(finding.title, 150));
    const shown = publicUrl === undefined ? title : `<${findingUrl(publicUrl, finding)}|${title}>`;
    return `*${finding.severity}* ${shown}\n${escapeMrkdwn(resourceLine(finding))}`;
  };
  const lines = digest.findings.map(line);
  const rest = restLine(digest);
  const summary = `${headline(digest)}: ${severityLine(digest)}`;
  const sections = Array.from({ length: Math.ceil(lines.length / A_SECTION) }, (_, n) =>
    section(lines.slice(n * A_SECTION, (n + 1) * A_SECTION).join('\n')),
  );
  return {
    text: `${summary} (${escapeMrkdwn(oneLine(digest.rule.name, 100))})`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline(digest) } },
      section(`${severityLine(digest)} · rule ${escapeMrkdwn(oneLine(digest.rule.name, 100))}`),
      ...sections,
      ...(rest === null ? [] : [section(rest)]),
    ],
  };
}

/** Posts to an incoming webhook. @throws ChannelError with what the service said */
export async function post(outbound: Outbound, url: string, message: object): Promise<void> {
  const { status, text } = await callTarget(outbound, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  if (status < 200 || status > 299) throw refusal(status, shownText(text));
}

// Runs what the bundles head once and keeps what V8 compiled for it: node code-cache.mjs BUILD. The server starts over an empty store, a few resources are
// checked, and threads load.
/* global fetch, URL */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { THREADS } from './modules.mjs';

const build = isMainThread ? process.argv[2] : workerData.build;
const moduleOf = (name) => pathToFileURL(join(build, `${name}.js`)).href;

async function keep() {
  const { loaded } = await import(moduleOf('scripts/bundle-loader'));
  for (const [name, script] of loaded) writeFileSync(`${name}.cache`, script.createCachedData());
}

/** Resolves with the address that the server prints. */
const printed = () =>
  new Promise((resolve) => {
    process.stdout.write = (text) => {
      const url = /http:\/\/\S+/.exec(text)?.[0];
      if (url) resolve(url);
      return true;
    };
  });

/** Source code that takes a check through most of what it does. */
const SAMPLE = `
variable "name" { default = "a" }
locals { tags = { team = "a" } }
resource "aws_s3_bucket" "a" {
  bucket = "x-\${var.name}"
  tags   = merge(local.tags, { env = "b" })
}
resource "aws_security_group" "a" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_iam_policy" "a" {
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}
`;

/** Checks the sample, and shows a rule. */
async function check() {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-code-'));
  try {
    writeFileSync(join(folder, 'main.tf'), SAMPLE);
    const { run } = await import(moduleOf('cli/check'));
    await run([folder, '--quiet', '--output', join(folder, 'report')]);
    await import(moduleOf('cli/rule'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (isMainThread) {
  await check();
  const url = printed();
  // V8 takes a cache under the flags that it was made under: here those of Node
  const { findCommand, keepHeapsSmall } = await import(moduleOf('cli/commands'));
  const { run } = await findCommand('all');
  void run(['--memory', '--empty', '--port', '0']);
  await (await fetch(new URL('/gateway/health', await url))).text();
  await keep();
  // and those of a process that serves
  keepHeapsSmall();
  await Promise.all(
    THREADS.map(
      (name) => new Promise((resolve) => new Worker(fileURLToPath(import.meta.url), { workerData: { build, name } }).once('exit', resolve)),
    ),
  );
  process.exit(0);
} else {
  await import(moduleOf(workerData.name));
  await keep();
  process.exit(0);
}

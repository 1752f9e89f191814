import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

const SCRIPT = `
  import { startFauxqs } from 'fauxqs';
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  server.createBucket(process.argv[1]);
  console.log(server.address);
`;

/** An S3-compatible service of a test file's own, with one bucket. */
export interface ObjectStorage {
  readonly endpoint: string;
  keys(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
  close(): Promise<void>;
}

export async function startObjectStorage(bucket: string): Promise<ObjectStorage> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, bucket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const endpoint = `http://127.0.0.1:${new URL(address).port}`;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'reader', secretAccessKey: 'reader' },
  });
  return {
    endpoint,
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key }) => Key!).sort();
    },
    async read(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return buffer(Body as Readable);
    },
    async close() {
      client.destroy();
      child.kill();
      await once(child, 'exit');
    },
  };
}

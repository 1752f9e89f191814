/** What a page answered. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without scripts: it keeps cookies by host, whatever the port, and goes where it is sent. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  /** One request, without following anything. */
  async ask(url: string, init: { method?: string; form?: Record<string, string>; headers?: Record<string, string> } = {}): Promise<Page> {
    const { hostname, origin } = new URL(url);
    const jar = this.jars.get(hostname) ?? new Map<string, string>();
    this.jars.set(hostname, jar);
    const response = await fetch(url, {
      method: init.method ?? (init.form ? 'POST' : 'GET'),
      body: init.form && new URLSearchParams(init.form),
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.form && { origin, 'sec-fetch-site': 'same-origin' }),
        ...init.headers,
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '' || attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) jar.delete(name);
      else jar.set(name, value);
    }
    return { status: response.status, url, headers: response.headers, text: await response.text() };
  }

  /** Follows redirects until a page that is none, or one whose target begins with `stop`: that target is not asked. @returns the last answer */
  async go(url: string, stop?: string): Promise<Page & { target: string | null }> {
    let page = await this.ask(url);
    for (let steps = 0; steps < 20; steps++) {
      const location = page.headers.get('location');
      if (location === null) return { ...page, target: null };
      const target = new URL(location, page.url).href;
      if (stop !== undefined && target.startsWith(stop)) return { ...page, target };
      page = await this.ask(target);
    }
    throw new Error(`too many redirects: ${page.url}`);
  }

  cookie(url: string, name: string): string | undefined {
    return this.jars.get(new URL(url).hostname)?.get(name);
  }

  forget(url: string, name: string): void {
    this.jars.get(new URL(url).hostname)?.delete(name);
  }
}

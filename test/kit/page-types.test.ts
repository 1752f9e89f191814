import { parse, print } from 'graphql';
import { expandPages } from '../../kit/engine/page-types.js';

const expanded = (sdl: string): string => print(expandPages(parse(sdl)));

test('@page writes the page of a list out, and the arguments of the fields that return it', () => {
  expect(
    expanded(`
      type Key @page(of: "API keys, newest first") { id: ID! }
      extend type Query {
        keys("Only these." state: [String!], "Of whom." owner: ID!): KeyPage!
        key(id: ID!): Key
      }
    `),
  ).toBe(
    print(
      parse(`
        type Key { id: ID! }
        extend type Query {
          keys(
            "Of whom." owner: ID!
            "Number of the page, from 1." page: Int = 1
            "Rows a page, 1 to 200." page_size: Int = 50
            "Only these." state: [String!]
          ): KeyPage!
          key(id: ID!): Key
        }
        "One page of API keys, newest first."
        type KeyPage {
          "The API keys of this page."
          items: [Key!]!
          "Exact number of API keys in the whole list."
          total: Int!
          "Number of this page, from 1."
          page: Int!
          "Rows a page."
          page_size: Int!
          "Whether another page follows."
          has_more: Boolean!
        }
      `),
    ),
  );
});

test('a page may have a name of its own, is shared where its rows are, and leaves arguments that a field declares', () => {
  const sdl = expanded(`
    type Event @shareable @page(name: "Timeline", of: "events") { id: ID! }
    type Query { timeline(page_size: Int = 5): Timeline }
  `);
  expect(sdl).toContain('type Event @shareable {');
  expect(sdl).toContain('type Timeline @shareable {');
  expect(sdl).toContain('page_size: Int = 5');
  expect(sdl).not.toContain('page_size: Int = 50');
  expect(sdl).toContain('page: Int = 1');
});

test('a page of nothing, or beside a type of its name, is refused', () => {
  expect(() => expanded('type Key @page { id: ID! }')).toThrow('Key: @page needs of');
  expect(() => expanded('type Key @page(of: "keys") { id: ID! } type KeyPage { id: ID! }')).toThrow('KeyPage is declared beside');
});

// The official MCP client: starts `sb mcp`, lists the tools, makes the calls of a file, and prints all that as JSON.
const [sdk, calls] = process.argv.slice(2);
const { Client } = await import(`${sdk}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/dist/esm/client/stdio.js`);
const { readFileSync } = await import('node:fs');

const client = new Client({ name: 'human', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: 'sb', args: ['mcp'], env: process.env }));
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of JSON.parse(readFileSync(calls, 'utf8'))) {
  try {
    const result = await client.callTool({ name, arguments: args });
    results.push({ text: result.content.map((part) => part.text).join('\n'), isError: result.isError ?? false });
  } catch (error) {
    results.push({ fault: error.code, text: String(error.message), isError: true });
  }
}
await client.ping();
console.log(JSON.stringify({
  server: client.getServerVersion(), capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(), tools: tools.map((tool) => tool.name), results,
}));
await client.close();

// snippet: server
using System;
using Ipc.Rpc;
using QuickStart;

using RpcServer server = RpcServer.Start("quotes", QuotesRpc.Service(new Quotes()));
Console.WriteLine("serving quotes; Enter ends it");
Console.ReadLine();
// end-snippet

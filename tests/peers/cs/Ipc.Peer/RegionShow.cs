using System;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Ipc.Peer;

/// <summary>peer region-show: a region as its bytes say it is, without entering it. The same lines as the C peer prints.</summary>
internal static unsafe partial class RegionShow
{
    public static int Run(string name)
    {
        RegionName.Check(name);
        using RegionFile? file = Os.Current.OpenFile(Os.Current.RegionDirectory() + "/" + name);
        if (file is null)
            return Program.Error(IpcStatus.NotFound, name);

        byte[] start = new byte[RegionGeometry.CheckedBytes];
        file.ReadStart(start);
        RegionHeader header = MemoryMarshal.Read<RegionHeader>(Padded(start));
        RegionGeometry geometry = RegionGeometry.Check(start, file.Length, (KindNumber)header.Kind, file.Stream.Name);
        using MappedView view = new(file, (long)geometry.TotalSize);
        ShowHeader((RegionHeader*)view.Base);
        for (int index = 0; index < geometry.ParticipantCapacity; index++)
            ShowParticipant(index, (ParticipantEntry*)(view.Base + geometry.ParticipantOffset) + index, file);
        if (header.Kind == (uint)KindNumber.OfRing)
        {
            ShowRing("ring.", (RingHeader*)(view.Base + geometry.BodyOffset));
            if (ShowWord("ring.pool_offset", view, geometry.BodyOffset + 24, 8) is > 0 and var pool)
                ShowPool(view, pool);
        }
        else if (header.Kind == (uint)KindNumber.OfQueue)
            ShowQueue(view, geometry);
        else if (header.Kind == (uint)KindNumber.OfTopic)
            ShowTopic(view, geometry);
        else if (header.Kind == (uint)KindNumber.OfListener)
            ShowListener(view, geometry);
        else if (header.Kind == (uint)KindNumber.OfNamedConnection)
            ShowNamed(view, geometry);
        else
            ShowConnection(view, geometry);
        return Program.Right;
    }

    private static byte[] Padded(byte[] start)
    {
        byte[] whole = new byte[RegionHeader.ByteSize];
        start.CopyTo(whole, 0);
        return whole;
    }

    private static void Show(string key, ulong value) => Console.WriteLine(key + " " + value.ToString(CultureInfo.InvariantCulture));

    private static void ShowWaiter(string name, in WaiterWords waiter)
    {
        Show(name + ".word", waiter.Word);
        Show(name + ".fence_required", waiter.FenceRequired);
        Show(name + ".wanted", waiter.Wanted);
    }

    private static void ShowHeader(RegionHeader* header)
    {
        Show("magic", header->Magic);
        Show("major", header->Major);
        Show("minor", header->Minor);
        Show("kind", header->Kind);
        Show("total_size", header->TotalSize);
        Show("participant_offset", header->ParticipantOffset);
        Show("participant_capacity", header->ParticipantCapacity);
        Show("body_offset", header->BodyOffset);
        Show("body_size", header->BodySize);
        Console.WriteLine("region_id " + Convert.ToHexString(new ReadOnlySpan<byte>(&header->RegionIdLow, 16)).ToLowerInvariant());
        Show("created", header->Created);
        Show("creator_pid", header->CreatorPid);
        Show("lifetime", header->Lifetime);
        Show("state", header->State);
        Show("recoveries", header->Recoveries);
        ShowWaiter("change", header->Change);
    }

    private static void ShowParticipant(int index, ParticipantEntry* entry, RegionFile file)
    {
        if (entry->State == ParticipantEntry.Free)
            return;
        string prefix = $"participant.{index}.";
        Show(prefix + "state", entry->State);
        Show(prefix + "generation", entry->Generation);
        Show(prefix + "pid", entry->Pid);
        Show(prefix + "role", entry->Role);
        Show(prefix + "start_time", entry->StartTime);
        Show(prefix + "attached", entry->Attached);
        Show(prefix + "pid_namespace", entry->PidNamespace);
        Show(prefix + "runtime", entry->Runtime);
        Show(prefix + "alive", Region.IsAlive(file, index) ? 1u : 0u);
    }

    private static void ShowRing(string prefix, RingHeader* header)
    {
        Show(prefix + "magic", header->Magic);
        Show(prefix + "capacity", header->Capacity);
        Show(prefix + "data_offset", header->DataOffset);
        Show(prefix + "writer", header->Writer);
        Show(prefix + "writer_state", header->WriterState);
        Show(prefix + "reader", header->Reader);
        Show(prefix + "reader_state", header->ReaderState);
        Show(prefix + "read_position", header->ReadPosition);
        Show(prefix + "free_position", header->FreePosition);
        ShowWaiter(prefix + "data", header->Data);
        ShowWaiter(prefix + "space", header->Space);
    }

    private static void ShowListener(MappedView view, in RegionGeometry geometry)
    {
        ListenerHeader* header = (ListenerHeader*)(view.Base + geometry.BodyOffset);
        Show("listener.magic", header->Magic);
        Show("listener.slot_count", header->SlotCount);
        Show("listener.slots_offset", header->SlotsOffset);
        Show("listener.ready_offset", header->ReadyOffset);
        Show("listener.max_ring_capacity", header->MaxRingCapacity);
        Show("listener.server_state", header->ServerState);
        ShowWaiter("listener.doorbell", header->Doorbell);
        ulong offset = header->SlotsOffset;
        for (int index = 0; index < geometry.ParticipantCapacity; index++, offset += ListenerSlot.ByteSize)
        {
            if (offset > view.Size - ListenerSlot.ByteSize)
                return;
            ListenerSlot* slot = (ListenerSlot*)(view.Base + offset);
            if (slot->Word == ListenerSlot.Idle)
                continue;
            Show($"slot.{index}.state", ListenerSlot.StateOf(slot->Word));
            Show($"slot.{index}.connection_id", ListenerSlot.IdOf(slot->Word));
        }
    }

    private static void ShowConnection(MappedView view, in RegionGeometry geometry)
    {
        ConnectionHeader* header = (ConnectionHeader*)(view.Base + geometry.BodyOffset);
        Show("connection.magic", header->Magic);
        Show("connection.slot", header->Slot);
        Show("connection.to_server", header->ToServer);
        Show("connection.to_client", header->ToClient);
        Show("connection.connection_id", header->ConnectionId);
        Show("connection.reply", header->Reply);
        Show("connection.server_close", header->ServerClose);
        Show("connection.server_text_length", header->ServerTextLength);
        ShowText("connection.server_text", header->ServerText, header->ServerTextLength, ConnectionHeader.TextCapacity);
        Show("connection.client_close", header->ClientClose);
        Show("connection.hello_length", header->HelloLength);
        ShowText("connection.hello", header->Hello, header->HelloLength, ConnectionHeader.TextCapacity);
        ShowWaiter("connection.session", header->Session);
        ShowRingAt("to_server.", view, header->ToServer);
        ShowRingAt("to_client.", view, header->ToClient);
    }

    private static void ShowNamed(MappedView view, in RegionGeometry geometry)
    {
        NamedHeader* header = (NamedHeader*)(view.Base + geometry.BodyOffset);
        Show("named.magic", header->Magic);
        Show("named.to_server", header->ToServer);
        Show("named.to_client", header->ToClient);
        Show("named.server_length", header->ServerLength);
        Show("named.client_length", header->ClientLength);
        ShowText("named.server", header->Server, header->ServerLength, NamedHeader.NameCapacity);
        ShowText("named.client", header->Client, header->ClientLength, NamedHeader.NameCapacity);
        Show("named.client_is_bound", header->ClientIsBound);
        Show("named.server_is_bound", header->ServerIsBound);
        ShowText("named.client_bound", header->ClientBound, NamedHeader.IdSize, NamedHeader.IdSize);
        ShowText("named.server_bound", header->ServerBound, NamedHeader.IdSize, NamedHeader.IdSize);
        Show("named.identity_length", header->IdentityLength);
        Show("named.reply_length", header->ReplyLength);
        ShowText("named.identity", header->Identity, header->IdentityLength, NamedHeader.NameCapacity);
        ShowText("named.reply", header->Reply, header->ReplyLength, NamedHeader.DataCapacity);
        Show("named.login_length", header->LoginLength);
        ShowText("named.login", header->Login, header->LoginLength, NamedHeader.DataCapacity);
        ShowNamedRingAt("to_server.", view, header->ToServer);
        ShowNamedRingAt("to_client.", view, header->ToClient);
    }

    private static void ShowNamedRingAt(string prefix, MappedView view, ulong offset)
    {
        if (offset > view.Size - RingHeader.ByteSize)
            return;
        ShowRingAt(prefix, view, offset);
        Show(prefix + "acknowledged", ((RingHeader*)(view.Base + offset))->Acknowledged);
    }

    private static void ShowText(string key, byte* text, uint length, int most) =>
        Console.WriteLine(key + " " + Convert.ToHexString(new ReadOnlySpan<byte>(text, (int)Math.Min(length, (uint)most))).ToLowerInvariant());

    private static void ShowRingAt(string prefix, MappedView view, ulong offset)
    {
        if (offset <= view.Size - RingHeader.ByteSize)
            ShowRing(prefix, (RingHeader*)(view.Base + offset));
    }
}

/* Memory that comes with use: the first lap of a connection's ring, whose data begins as a hole. */
#include "rings/ring.h"

/* Nobody waits long for memory that a record does not need yet. */
#define MOST_AHEAD (1u << 20)

static uint64_t in_pages(const ipc_ring_writer *writer, uint64_t bytes)
{
    const uint64_t pages = (bytes + IPC_RING_DATA_ALIGN - 1) & ~(uint64_t)(IPC_RING_DATA_ALIGN - 1);
    return pages > writer->capacity ? writer->capacity
                                    : pages; /* behind the lap: what is padded there needs all of it */
}

static bool reach(ipc_ring_writer *writer, uint64_t to)
{
    const ipc_region *region = writer->ring.region;
    const uint64_t from = (uint64_t)(writer->data - region->base) + writer->present;
    const uint64_t length = to - writer->present;
    if (ipc_platform_populate(region->file, region->base, from, length) != IPC_OK) {
        (void)ipc_platform_give_back_pages(region->base, from, length); /* it may have come to a part of them */
        return false;
    }
    IPC_FAULT_POINT("ring.grow.present");
    writer->present = to == writer->capacity ? UINT64_MAX : to;
    ipc_ring_set_limit(writer);
    return true;
}

/* Makes memory for a record that ends there and for the header behind it; twice as much as there was, if there is so
   much. A full disk is "full" here, and never a fault later; but what the own pool keeps of free blocks is had first.
 */
bool ipc_ring_make_present(ipc_ring_writer *writer, uint64_t end)
{
    const uint64_t needed = in_pages(writer, end + IPC_LINE);
    const uint64_t ahead = writer->present < MOST_AHEAD ? writer->present : MOST_AHEAD;
    const uint64_t ample = in_pages(writer, writer->present + ahead);
    if ((ample > needed && reach(writer, ample)) || reach(writer, needed))
        return true;
    ipc_ring_writer_trim_loans(writer);
    return reach(writer, needed);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of Open MPI 4.1, for their debug information only: this file is compiled, never linked.
 *
 * Public types come from the distribution's development headers (with the configuration that its libraries were
 * built with), private ones from headers in its source package. make_pack says which folders are searched.
 * With PROBE_PUBLIC_ONLY the source package is not needed.
 */
#include "ompi_config.h"

#include "opal/class/opal_free_list.h"
#include "opal/class/opal_hash_table.h"
#include "opal/class/opal_list.h"
#include "opal/class/opal_pointer_array.h"
#include "opal/mca/base/base.h"
#include "opal/mca/btl/btl.h"
#include "opal/util/proc.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/file/file.h"
#include "ompi/group/group.h"
#include "ompi/mca/topo/base/base.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/info/info.h"
#include "ompi/win/win.h"

#ifndef PROBE_PUBLIC_ONLY
#include "ompi/mca/pml/base/pml_base_recvreq.h"
#include "ompi/mca/pml/base/pml_base_sendreq.h"
#include "ompi/mca/pml/ob1/pml_ob1.h"
#include "ompi/mca/pml/ob1/pml_ob1_comm.h"
#include "ompi/mca/pml/ob1/pml_ob1_hdr.h"
#include "ompi/mca/pml/ob1/pml_ob1_recvfrag.h"
#include "ompi/mca/pml/ob1/pml_ob1_recvreq.h"
#include "ompi/mca/pml/ob1/pml_ob1_sendreq.h"

#if __has_include(<ucp/api/ucp.h>) && defined(__LP64__) /* a site without UCX, or of 32 bits, has no pml/ucx */
#include "ompi/mca/pml/ucx/pml_ucx.h"
#include "ompi/mca/pml/ucx/pml_ucx_request.h"
#define PROBE_UCX
#endif

#include "ompi/mca/coll/libnbc/coll_libnbc.h"
#include "ompi/mca/common/ompio/common_ompio.h"
#if __has_include("ompi/mca/osc/pt2pt/osc_pt2pt.h") /* up to 4.1 */
#include "ompi/mca/osc/pt2pt/osc_pt2pt.h"
#include "ompi/mca/osc/pt2pt/osc_pt2pt_request.h"
#undef GET_MODULE /* each of the two defines one */
#endif
#include "ompi/mca/osc/rdma/osc_rdma.h"
#include "ompi/mca/osc/rdma/osc_rdma_request.h"
#include "ompi/mca/osc/sm/osc_sm.h"
#ifdef PROBE_UCX
#define NONE osc_ucx_none /* io/ompio has one, too */
#include "ompi/mca/osc/ucx/osc_ucx.h"
#include "ompi/mca/osc/ucx/osc_ucx_request.h"
#undef NONE
#endif

#include "ompi/op/op.h"
#include "ompi/request/grequest.h"
#if __has_include("ompi/instance/instance.h") /* since 5.0 */
#include "ompi/instance/instance.h"
#endif
/* types that no header has */
#include "ompi/attribute/attribute.c"
#include "ompi/datatype/ompi_datatype_args.c"
#include "opal/class/opal_hash_table.c"
#endif

/* An object file without any code or data would be an odd thing. */
const char mpidbg_probe[] = "openmpi 4.1";

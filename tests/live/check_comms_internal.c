/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library made for itself stays hidden: windows, files. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "windows", NULL, 2 },
	{ "windows", "--mca osc pt2pt,sm", 2, .component = "osc:pt2pt" }, /* up to 4.1 */
	{ "windows", "--mca osc ucx,sm --mca pml ob1 --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any",
	  2, .component = "osc:ucx" },
	{ "windows", "--mca io romio321", 2, .component = "io:romio321" },
	{ "windows", "--mca io romio341", 2, .component = "io:romio341" }, /* since 5.0 */
};

int main(void)
{
	return live_main("check_comms_internal", cases, sizeof cases / sizeof cases[0], NULL);
}

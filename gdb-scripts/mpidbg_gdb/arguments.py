# SPDX-License-Identifier: BSD-3-Clause
"""Names of the arguments of MPI functions from the standard, for $mpi_arg(), because a stripped library has none.

NAME is an int, NAME* an address, NAME:TYPE a handle or an MPI_Aint, MPI_Count, MPI_Offset. All are passed like integers
or addresses, so the register or stack slot of each follows from its number."""

_ROWS = """
Abort comm:Comm errorcode
Accumulate origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_count
  target_datatype:Datatype op:Op win:Win
Add_error_class errorclass*
Add_error_code errorclass errorcode*
Add_error_string errorcode string*
Address location* address*
Allgather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm
Allgather_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm info:Info request*
Allgatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm
Allgatherv_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm
  info:Info request*
Alloc_mem size:Aint info:Info baseptr*
Allreduce sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm
Allreduce_init sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm info:Info request*
Alltoall sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm
Alltoall_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm info:Info request*
Alltoallv sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls* recvtype:Datatype comm:Comm
Alltoallv_init sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls* recvtype:Datatype
  comm:Comm info:Info request*
Alltoallw sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm
Alltoallw_init sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm info:Info
  request*
Attr_delete comm:Comm keyval
Attr_get comm:Comm keyval attribute_val* flag*
Attr_put comm:Comm keyval attribute_val*
Barrier comm:Comm
Barrier_init comm:Comm info:Info request*
Bcast buffer* count datatype:Datatype root comm:Comm
Bcast_init buffer* count datatype:Datatype root comm:Comm info:Info request*
Bsend buf* count datatype:Datatype dest tag comm:Comm
Bsend_init buf* count datatype:Datatype dest tag comm:Comm request*
Buffer_attach buffer* size
Buffer_detach buffer* size*
Cancel request*
Cart_coords comm:Comm rank maxdims coords*
Cart_create old_comm:Comm ndims dims* periods* reorder comm_cart*
Cart_get comm:Comm maxdims dims* periods* coords*
Cart_map comm:Comm ndims dims* periods* newrank*
Cart_rank comm:Comm coords* rank*
Cart_shift comm:Comm direction disp rank_source* rank_dest*
Cart_sub comm:Comm remain_dims* new_comm*
Cartdim_get comm:Comm ndims*
Close_port port_name*
Comm_accept port_name* info:Info root comm:Comm newcomm*
Comm_c2f comm:Comm
Comm_call_errhandler comm:Comm errorcode
Comm_compare comm1:Comm comm2:Comm result*
Comm_connect port_name* info:Info root comm:Comm newcomm*
Comm_create comm:Comm group:Group newcomm*
Comm_create_errhandler function* errhandler*
Comm_create_from_group group:Group stringtag* info:Info errhandler:Errhandler newcomm*
Comm_create_group comm:Comm group:Group tag newcomm*
Comm_create_keyval comm_copy_attr_fn* comm_delete_attr_fn* comm_keyval* extra_state*
Comm_delete_attr comm:Comm comm_keyval
Comm_disconnect comm*
Comm_dup comm:Comm newcomm*
Comm_dup_with_info comm:Comm info:Info newcomm*
Comm_free comm*
Comm_free_keyval comm_keyval*
Comm_get_attr comm:Comm comm_keyval attribute_val* flag*
Comm_get_errhandler comm:Comm erhandler*
Comm_get_info comm:Comm info_used*
Comm_get_name comm:Comm comm_name* resultlen*
Comm_get_parent parent*
Comm_group comm:Comm group*
Comm_idup comm:Comm newcomm* request*
Comm_idup_with_info comm:Comm info:Info newcomm* request*
Comm_join fd intercomm*
Comm_rank comm:Comm rank*
Comm_remote_group comm:Comm group*
Comm_remote_size comm:Comm size*
Comm_set_attr comm:Comm comm_keyval attribute_val*
Comm_set_errhandler comm:Comm errhandler:Errhandler
Comm_set_info comm:Comm info:Info
Comm_set_name comm:Comm comm_name*
Comm_size comm:Comm size*
Comm_spawn command* argv* maxprocs info:Info root comm:Comm intercomm* array_of_errcodes*
Comm_spawn_multiple count array_of_commands* array_of_argv* array_of_maxprocs* array_of_info* root comm:Comm
  intercomm* array_of_errcodes*
Comm_split comm:Comm color key newcomm*
Comm_split_type comm:Comm split_type key info:Info newcomm*
Comm_test_inter comm:Comm flag*
Compare_and_swap origin_addr* compare_addr* result_addr* datatype:Datatype target_rank target_disp:Aint win:Win
Dims_create nnodes ndims dims*
Dist_graph_create comm_old:Comm n nodes* degrees* targets* weights* info:Info reorder newcomm*
Dist_graph_create_adjacent comm_old:Comm indegree sources* sourceweights* outdegree destinations* destweights*
  info:Info reorder comm_dist_graph*
Dist_graph_neighbors comm:Comm maxindegree sources* sourceweights* maxoutdegree destinations* destweights*
Dist_graph_neighbors_count comm:Comm inneighbors* outneighbors* weighted*
Errhandler_c2f errhandler:Errhandler
Errhandler_create comm_errhandler_fn* errhandler*
Errhandler_free errhandler*
Errhandler_get comm:Comm errhandler*
Errhandler_set comm:Comm errhandler:Errhandler
Error_class errorcode errorclass*
Error_string errorcode string* resultlen*
Exscan sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm
Exscan_init sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm info:Info request*
Fetch_and_op origin_addr* result_addr* datatype:Datatype target_rank target_disp:Aint op:Op win:Win
File_c2f file:File
File_call_errhandler fh:File errorcode
File_close fh*
File_create_errhandler function* errhandler*
File_delete filename* info:Info
File_get_amode fh:File amode*
File_get_atomicity fh:File flag*
File_get_byte_offset fh:File offset:Offset disp*
File_get_errhandler file:File errhandler*
File_get_group fh:File group*
File_get_info fh:File info_used*
File_get_position fh:File offset*
File_get_position_shared fh:File offset*
File_get_size fh:File size*
File_get_type_extent fh:File datatype:Datatype extent*
File_get_view fh:File disp* etype* filetype* datarep*
File_iread fh:File buf* count datatype:Datatype request*
File_iread_all fh:File buf* count datatype:Datatype request*
File_iread_at fh:File offset:Offset buf* count datatype:Datatype request*
File_iread_at_all fh:File offset:Offset buf* count datatype:Datatype request*
File_iread_shared fh:File buf* count datatype:Datatype request*
File_iwrite fh:File buf* count datatype:Datatype request*
File_iwrite_all fh:File buf* count datatype:Datatype request*
File_iwrite_at fh:File offset:Offset buf* count datatype:Datatype request*
File_iwrite_at_all fh:File offset:Offset buf* count datatype:Datatype request*
File_iwrite_shared fh:File buf* count datatype:Datatype request*
File_open comm:Comm filename* amode info:Info fh*
File_preallocate fh:File size:Offset
File_read fh:File buf* count datatype:Datatype status*
File_read_all fh:File buf* count datatype:Datatype status*
File_read_all_begin fh:File buf* count datatype:Datatype
File_read_all_end fh:File buf* status*
File_read_at fh:File offset:Offset buf* count datatype:Datatype status*
File_read_at_all fh:File offset:Offset buf* count datatype:Datatype status*
File_read_at_all_begin fh:File offset:Offset buf* count datatype:Datatype
File_read_at_all_end fh:File buf* status*
File_read_ordered fh:File buf* count datatype:Datatype status*
File_read_ordered_begin fh:File buf* count datatype:Datatype
File_read_ordered_end fh:File buf* status*
File_read_shared fh:File buf* count datatype:Datatype status*
File_seek fh:File offset:Offset whence
File_seek_shared fh:File offset:Offset whence
File_set_atomicity fh:File flag
File_set_errhandler file:File errhandler:Errhandler
File_set_info fh:File info:Info
File_set_size fh:File size:Offset
File_set_view fh:File disp:Offset etype:Datatype filetype:Datatype datarep* info:Info
File_sync fh:File
File_write fh:File buf* count datatype:Datatype status*
File_write_all fh:File buf* count datatype:Datatype status*
File_write_all_begin fh:File buf* count datatype:Datatype
File_write_all_end fh:File buf* status*
File_write_at fh:File offset:Offset buf* count datatype:Datatype status*
File_write_at_all fh:File offset:Offset buf* count datatype:Datatype status*
File_write_at_all_begin fh:File offset:Offset buf* count datatype:Datatype
File_write_at_all_end fh:File buf* status*
File_write_ordered fh:File buf* count datatype:Datatype status*
File_write_ordered_begin fh:File buf* count datatype:Datatype
File_write_ordered_end fh:File buf* status*
File_write_shared fh:File buf* count datatype:Datatype status*
Finalized flag*
Free_mem base*
Gather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm
Gather_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm info:Info
  request*
Gatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype root comm:Comm
Gatherv_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype root comm:Comm
  info:Info request*
Get origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_count
  target_datatype:Datatype win:Win
Get_accumulate origin_addr* origin_count origin_datatype:Datatype result_addr* result_count result_datatype:Datatype
  target_rank target_disp:Aint target_count target_datatype:Datatype op:Op win:Win
Get_address location* address*
Get_count status* datatype:Datatype count*
Get_elements status* datatype:Datatype count*
Get_elements_x status* datatype:Datatype count*
Get_library_version version* resultlen*
Get_processor_name name* resultlen*
Get_version version* subversion*
Graph_create comm_old:Comm nnodes index* edges* reorder comm_graph*
Graph_get comm:Comm maxindex maxedges index* edges*
Graph_map comm:Comm nnodes index* edges* newrank*
Graph_neighbors comm:Comm rank maxneighbors neighbors*
Graph_neighbors_count comm:Comm rank nneighbors*
Graphdims_get comm:Comm nnodes* nedges*
Grequest_complete request:Request
Grequest_start query_fn* free_fn* cancel_fn* extra_state* request*
Group_c2f group:Group
Group_compare group1:Group group2:Group result*
Group_difference group1:Group group2:Group newgroup*
Group_excl group:Group n ranks* newgroup*
Group_free group*
Group_from_session_pset session:Session pset_name* newgroup*
Group_incl group:Group n ranks* newgroup*
Group_intersection group1:Group group2:Group newgroup*
Group_range_excl group:Group n ranges* newgroup*
Group_range_incl group:Group n ranges* newgroup*
Group_rank group:Group rank*
Group_size group:Group size*
Group_translate_ranks group1:Group n ranks1* group2:Group ranks2*
Group_union group1:Group group2:Group newgroup*
Iallgather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm request*
Iallgatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm request*
Iallreduce sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm request*
Ialltoall sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm request*
Ialltoallv sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls* recvtype:Datatype comm:Comm
  request*
Ialltoallw sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm request*
Ibarrier comm:Comm request*
Ibcast buffer* count datatype:Datatype root comm:Comm request*
Ibsend buf* count datatype:Datatype dest tag comm:Comm request*
Iexscan sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm request*
Igather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm request*
Igatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype root comm:Comm request*
Improbe source tag comm:Comm flag* message* status*
Imrecv buf* count type:Datatype message* request*
Ineighbor_allgather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm request*
Ineighbor_allgatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm
  request*
Ineighbor_alltoall sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm request*
Ineighbor_alltoallv sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls* recvtype:Datatype
  comm:Comm request*
Ineighbor_alltoallw sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm
  request*
Info_c2f info:Info
Info_create info*
Info_create_env argc argv* info*
Info_delete info:Info key*
Info_dup info:Info newinfo*
Info_free info*
Info_get info:Info key* valuelen value* flag*
Info_get_nkeys info:Info nkeys*
Info_get_nthkey info:Info n key*
Info_get_string info:Info key* buflen* value* flag*
Info_get_valuelen info:Info key* valuelen* flag*
Info_set info:Info key* value*
Init argc* argv*
Init_thread argc* argv* required provided*
Initialized flag*
Intercomm_create local_comm:Comm local_leader bridge_comm:Comm remote_leader tag newintercomm*
Intercomm_create_from_groups local_group:Group local_leader remote_group:Group remote_leader stringtag* info:Info
  errhandler:Errhandler newintercomm*
Intercomm_merge intercomm:Comm high newintercomm*
Iprobe source tag comm:Comm flag* status*
Irecv buf* count datatype:Datatype source tag comm:Comm request*
Ireduce sendbuf* recvbuf* count datatype:Datatype op:Op root comm:Comm request*
Ireduce_scatter sendbuf* recvbuf* recvcounts* datatype:Datatype op:Op comm:Comm request*
Ireduce_scatter_block sendbuf* recvbuf* recvcount datatype:Datatype op:Op comm:Comm request*
Irsend buf* count datatype:Datatype dest tag comm:Comm request*
Is_thread_main flag*
Iscan sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm request*
Iscatter sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm request*
Iscatterv sendbuf* sendcounts* displs* sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm request*
Isend buf* count datatype:Datatype dest tag comm:Comm request*
Isendrecv sendbuf* sendcount sendtype:Datatype dest sendtag recvbuf* recvcount recvtype:Datatype source recvtag
  comm:Comm request*
Isendrecv_replace buf* count datatype:Datatype dest sendtag source recvtag comm:Comm request*
Issend buf* count datatype:Datatype dest tag comm:Comm request*
Keyval_create copy_fn* delete_fn* keyval* extra_state*
Keyval_free keyval*
Lookup_name service_name* info:Info port_name*
Message_c2f message:Message
Mprobe source tag comm:Comm message* status*
Mrecv buf* count type:Datatype message* status*
Neighbor_allgather sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm
Neighbor_allgather_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm info:Info
  request*
Neighbor_allgatherv sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm
Neighbor_allgatherv_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcounts* displs* recvtype:Datatype comm:Comm
  info:Info request*
Neighbor_alltoall sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm
Neighbor_alltoall_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype comm:Comm info:Info
  request*
Neighbor_alltoallv sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls* recvtype:Datatype
  comm:Comm
Neighbor_alltoallv_init sendbuf* sendcounts* sdispls* sendtype:Datatype recvbuf* recvcounts* rdispls*
  recvtype:Datatype comm:Comm info:Info request*
Neighbor_alltoallw sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm
Neighbor_alltoallw_init sendbuf* sendcounts* sdispls* sendtypes* recvbuf* recvcounts* rdispls* recvtypes* comm:Comm
  info:Info request*
Op_c2f op:Op
Op_commutative op:Op commute*
Op_create function* commute op*
Op_free op*
Open_port info:Info port_name*
Pack inbuf* incount datatype:Datatype outbuf* outsize position* comm:Comm
Pack_external datarep* inbuf* incount datatype:Datatype outbuf* outsize:Aint position*
Pack_external_size datarep* incount datatype:Datatype size*
Pack_size incount datatype:Datatype comm:Comm size*
Parrived request:Request partition flag*
Pready partition request:Request
Pready_list length array_of_partitions* request:Request
Pready_range partition_low partition_high request:Request
Precv_init buf* partitions count:Count datatype:Datatype dest tag comm:Comm info:Info request*
Probe source tag comm:Comm status*
Psend_init buf* partitions count:Count datatype:Datatype dest tag comm:Comm info:Info request*
Publish_name service_name* info:Info port_name*
Put origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_count
  target_datatype:Datatype win:Win
Query_thread provided*
Raccumulate origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_count
  target_datatype:Datatype op:Op win:Win request*
Recv buf* count datatype:Datatype source tag comm:Comm status*
Recv_init buf* count datatype:Datatype source tag comm:Comm request*
Reduce sendbuf* recvbuf* count datatype:Datatype op:Op root comm:Comm
Reduce_init sendbuf* recvbuf* count datatype:Datatype op:Op root comm:Comm info:Info request*
Reduce_local inbuf* inoutbuf* count datatype:Datatype op:Op
Reduce_scatter sendbuf* recvbuf* recvcounts* datatype:Datatype op:Op comm:Comm
Reduce_scatter_block sendbuf* recvbuf* recvcount datatype:Datatype op:Op comm:Comm
Reduce_scatter_block_init sendbuf* recvbuf* recvcount datatype:Datatype op:Op comm:Comm info:Info request*
Reduce_scatter_init sendbuf* recvbuf* recvcounts* datatype:Datatype op:Op comm:Comm info:Info request*
Register_datarep datarep* read_conversion_fn* write_conversion_fn* dtype_file_extent_fn* extra_state*
Request_c2f request:Request
Request_free request*
Request_get_status request:Request flag* status*
Rget origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_count
  target_datatype:Datatype win:Win request*
Rget_accumulate origin_addr* origin_count origin_datatype:Datatype result_addr* result_count result_datatype:Datatype
  target_rank target_disp:Aint target_count target_datatype:Datatype op:Op win:Win request*
Rput origin_addr* origin_count origin_datatype:Datatype target_rank target_disp:Aint target_cout
  target_datatype:Datatype win:Win request*
Rsend ibuf* count datatype:Datatype dest tag comm:Comm
Rsend_init buf* count datatype:Datatype dest tag comm:Comm request*
Scan sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm
Scan_init sendbuf* recvbuf* count datatype:Datatype op:Op comm:Comm info:Info request*
Scatter sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm
Scatter_init sendbuf* sendcount sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm info:Info
  request*
Scatterv sendbuf* sendcounts* displs* sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm
Scatterv_init sendbuf* sendcounts* displs* sendtype:Datatype recvbuf* recvcount recvtype:Datatype root comm:Comm
  info:Info request*
Send buf* count datatype:Datatype dest tag comm:Comm
Send_init buf* count datatype:Datatype dest tag comm:Comm request*
Sendrecv sendbuf* sendcount sendtype:Datatype dest sendtag recvbuf* recvcount recvtype:Datatype source recvtag
  comm:Comm status*
Sendrecv_replace buf* count datatype:Datatype dest sendtag source recvtag comm:Comm status*
Session_call_errhandler session:Session errorcode
Session_create_errhandler session_errhandler_fn* errhandler*
Session_finalize session*
Session_get_errhandler session:Session errhandler*
Session_get_info session:Session info_used*
Session_get_nth_pset session:Session info:Info n pset_len* pset_name*
Session_get_num_psets session:Session info:Info npset_names*
Session_get_pset_info session:Session pset_name* info*
Session_init info:Info errhandler:Errhandler session*
Session_set_errhandler session:Session errhandler:Errhandler
Ssend buf* count datatype:Datatype dest tag comm:Comm
Ssend_init buf* count datatype:Datatype dest tag comm:Comm request*
Start request*
Startall count array_of_requests*
Status_c2f c_status* f_status*
Status_c2f08 c_status* f08_status*
Status_f082c f08_status* c_status*
Status_f082f f08_status* f_status*
Status_f2c f_status* c_status*
Status_f2f08 f_status* f08_status*
Status_set_cancelled status* flag
Status_set_elements status* datatype:Datatype count
Status_set_elements_x status* datatype:Datatype count:Count
Test request* flag* status*
Test_cancelled status* flag*
Testall count array_of_requests* flag* array_of_statuses*
Testany count array_of_requests* index* flag* status*
Testsome incount array_of_requests* outcount* array_of_indices* array_of_statuses*
Topo_test comm:Comm status*
Type_c2f datatype:Datatype
Type_commit type*
Type_contiguous count oldtype:Datatype newtype*
Type_create_darray size rank ndims gsize_array* distrib_array* darg_array* psize_array* order oldtype:Datatype
  newtype*
Type_create_f90_complex p r newtype*
Type_create_f90_integer r newtype*
Type_create_f90_real p r newtype*
Type_create_hindexed count array_of_blocklengths* array_of_displacements* oldtype:Datatype newtype*
Type_create_hindexed_block count blocklength array_of_displacements* oldtype:Datatype newtype*
Type_create_hvector count blocklength stride:Aint oldtype:Datatype newtype*
Type_create_indexed_block count blocklength array_of_displacements* oldtype:Datatype newtype*
Type_create_keyval type_copy_attr_fn* type_delete_attr_fn* type_keyval* extra_state*
Type_create_resized oldtype:Datatype lb:Aint extent:Aint newtype*
Type_create_struct count array_of_block_lengths* array_of_displacements* array_of_types* newtype*
Type_create_subarray ndims size_array* subsize_array* start_array* order oldtype:Datatype newtype*
Type_delete_attr type:Datatype type_keyval
Type_dup type:Datatype newtype*
Type_extent datatype:Datatype extent*
Type_free type*
Type_free_keyval type_keyval*
Type_get_attr type:Datatype type_keyval attribute_val* flag*
Type_get_contents mtype:Datatype max_integers max_addresses max_datatypes array_of_integers* array_of_addresses*
  array_of_datatypes*
Type_get_envelope type:Datatype num_integers* num_addresses* num_datatypes* combiner*
Type_get_extent type:Datatype lb* extent*
Type_get_extent_x type:Datatype lb* extent*
Type_get_name type:Datatype type_name* resultlen*
Type_get_true_extent datatype:Datatype true_lb* true_extent*
Type_get_true_extent_x datatype:Datatype true_lb* true_extent*
Type_hindexed count array_of_blocklengths* array_of_displacements* oldtype:Datatype newtype*
Type_hvector count blocklength stride:Aint oldtype:Datatype newtype*
Type_indexed count array_of_blocklengths* array_of_displacements* oldtype:Datatype newtype*
Type_lb datatype:Datatype displacement*
Type_match_size typeclass size type*
Type_set_attr type:Datatype type_keyval attr_val*
Type_set_name type:Datatype type_name*
Type_size type:Datatype size*
Type_size_x type:Datatype size*
Type_struct count array_of_blocklengths* array_of_displacements* array_of_types* newtype*
Type_ub datatype:Datatype displacement*
Type_vector count blocklength stride oldtype:Datatype newtype*
Unpack inbuf* insize position* outbuf* outcount datatype:Datatype comm:Comm
Unpack_external datarep* inbuf* insize:Aint position* outbuf* outcount datatype:Datatype
Unpublish_name service_name* info:Info port_name*
Wait request* status*
Waitall count array_of_requests* array_of_statuses*
Waitany count array_of_requests* index* status*
Waitsome incount array_of_requests* outcount* array_of_indices* array_of_statuses*
Win_allocate size:Aint disp_unit info:Info comm:Comm baseptr* win*
Win_allocate_shared size:Aint disp_unit info:Info comm:Comm baseptr* win*
Win_attach win:Win base* size:Aint
Win_c2f win:Win
Win_call_errhandler win:Win errorcode
Win_complete win:Win
Win_create base* size:Aint disp_unit info:Info comm:Comm win*
Win_create_dynamic info:Info comm:Comm win*
Win_create_errhandler function* errhandler*
Win_create_keyval win_copy_attr_fn* win_delete_attr_fn* win_keyval* extra_state*
Win_delete_attr win:Win win_keyval
Win_detach win:Win base*
Win_fence assert win:Win
Win_flush rank win:Win
Win_flush_all win:Win
Win_flush_local rank win:Win
Win_flush_local_all win:Win
Win_free win*
Win_free_keyval win_keyval*
Win_get_attr win:Win win_keyval attribute_val* flag*
Win_get_errhandler win:Win errhandler*
Win_get_group win:Win group*
Win_get_info win:Win info_used*
Win_get_name win:Win win_name* resultlen*
Win_lock lock_type rank assert win:Win
Win_lock_all assert win:Win
Win_post group:Group assert win:Win
Win_set_attr win:Win win_keyval attribute_val*
Win_set_errhandler win:Win errhandler:Errhandler
Win_set_info win:Win info:Info
Win_set_name win:Win win_name*
Win_shared_query win:Win rank size* disp_unit* baseptr*
Win_start group:Group assert win:Win
Win_sync win:Win
Win_test win:Win flag*
Win_unlock rank win:Win
Win_unlock_all win:Win
Win_wait win:Win
"""


def _parse():
    ret, last = {}, None
    for line in _ROWS.splitlines():
        words = line.split()
        if line[:1] not in ("", " "):
            last = ret["MPI_" + words.pop(0)] = []
        for word in words:
            name, _, kind = word.partition(":")
            last.append((name.rstrip("*"), "*" if name.endswith("*") else "MPI_" + kind if kind else "int"))
    return ret


OF = _parse()  # "MPI_Send": [("buf", "*"), ("count", "int"), ("datatype", "MPI_Datatype"), ...]

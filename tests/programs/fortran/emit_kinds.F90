! SPDX-License-Identifier: BSD-3-Clause
! Usage: emit_kinds FILE, 2 ranks, with the in-target library
! Objects of every kind made by a Fortran program; fortran/emit.c prints what they are (answers.h). Compiled with the module
! mpi, with F08 defined with the module mpi_f08, and with MPIF defined with mpif.h.
program emit_kinds
#ifdef F08
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
#ifdef F08
#define HANDLE(kind) type(MPI_/**/kind)
#define VAL(handle) handle%MPI_VAL
#else
#define HANDLE(kind) integer
#define VAL(handle) handle
#endif
  integer, parameter :: COMM = 0, GROUP = 1, DATATYPE = 2, FILE = 4, INFO = 5, REQUEST = 7, WIN = 8, MESSAGE = 9
  HANDLE(Comm) :: c
  HANDLE(Group) :: g
  HANDLE(Datatype) :: t
  HANDLE(Info) :: i
  HANDLE(Win) :: w
  HANDLE(File) :: f
  HANDLE(Request) :: r, p
  HANDLE(Message) :: m
#ifdef F08
  type(MPI_Status), save :: status
#else
  integer, save :: status(MPI_STATUS_SIZE)
#endif
  integer :: ierror, rank
  integer, save :: memory(4), buffer(8)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  character(len=256) :: path

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call get_command_argument(1, path)
  call emit_rank(rank)
  call emit_object(COMM, VAL(MPI_COMM_WORLD), 'MPI_COMM_WORLD'//char(0), ' '//char(0))
  call emit_object(DATATYPE, VAL(MPI_INTEGER), 'MPI_INTEGER'//char(0), ' '//char(0))
  call MPI_Comm_dup(MPI_COMM_WORLD, c, ierror)
  call emit_object(COMM, VAL(c), ' '//char(0), 'MPI_Comm_dup'//char(0))
  call MPI_Comm_group(c, g, ierror)
  call emit_object(GROUP, VAL(g), ' '//char(0), 'MPI_Comm_group'//char(0))
  call MPI_Type_vector(2, 3, 4, MPI_INTEGER, t, ierror)
  call MPI_Type_commit(t, ierror)
  call emit_object(DATATYPE, VAL(t), ' '//char(0), 'MPI_Type_vector'//char(0))
  call MPI_Info_create(i, ierror)
  call emit_object(INFO, VAL(i), ' '//char(0), 'MPI_Info_create'//char(0))
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, f, ierror)
  call emit_object(FILE, VAL(f), ' '//char(0), 'MPI_File_open'//char(0))
  bytes = 16
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w, ierror)
  call emit_place('win'//char(0), 'MPI_Win_create'//char(0), __LINE__ - 1)
  call emit_object(WIN, VAL(w), ' '//char(0), 'MPI_Win_create'//char(0))
  call MPI_Irecv(buffer, 2, MPI_INTEGER, MPI_ANY_SOURCE, 21, c, r, ierror)
  call emit_request(VAL(r), __LINE__ - 1, 1)
  call emit_object(REQUEST, VAL(r), ' '//char(0), 'MPI_Irecv'//char(0))
  call MPI_Send_init(buffer, 2, MPI_INTEGER, 1 - rank, 22, c, p, ierror)
  call emit_request(VAL(p), __LINE__ - 1, 0)
  call emit_place('request'//char(0), 'MPI_Send_init'//char(0), __LINE__ - 2)
  call emit_object(REQUEST, VAL(p), ' '//char(0), 'MPI_Send_init'//char(0))
  if (rank == 1) then
    call MPI_Send(memory, 3, MPI_INTEGER, 0, 31, c, ierror)
    call MPI_Send(memory, 1, MPI_INTEGER, 0, 32, c, ierror)
  else
    call MPI_Recv(buffer, 8, MPI_INTEGER, MPI_ANY_SOURCE, 31, c, status, ierror)
    call emit_status(status, 1, 31, 12)
    call MPI_Mprobe(1, 32, c, m, MPI_STATUS_IGNORE, ierror)
    call emit_object(MESSAGE, VAL(m), ' '//char(0), 'MPI_Mprobe'//char(0))
  end if
  call emit_end()
end program
